import { toJsonText } from '@kernel/internal';
import { checkNumber, type ProviderRequest } from '@kernel/protocol';
import type { CachedContent, Caches, CacheTtlOptions } from '../caches/types.ts';
import { toPathSegment } from '../config/base-url.ts';
import { configError } from '../config/config-error.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { protocolError } from '../http/errors.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import type { HttpMethod } from '../http/transport.ts';
import { asFields, asNumber, asText, definedFields, type Fields, parseJson, pickFields } from '../json-fields.ts';
import { type EncodedRequest, takeBody, type WireContext } from '../wire/wire.ts';
import { cachedContentName, resourceName } from './config.ts';

const CACHED = ['contents', 'systemInstruction', 'tools', 'toolConfig'];
const NAME = /(?:^|\/)cachedContents\/[^/]+$/;

/** https://ai.google.dev/api/caching */
export function geminiCaches(
  { client, name: provider, redactor }: WireContext,
  { basePath, query }: WireSettings,
  encode: (request: ProviderRequest) => EncodedRequest,
): Caches {
  async function send(method: HttpMethod, path: string, signal: AbortSignal | undefined, body?: object) {
    const text = await requestText(client, { method, path, body: body && toJsonText(body) }, signal);
    // A deletion may be answered with nothing.
    return text.trim() === '' ? {} : (asFields(parseJsonResponse(provider, text, redactor)) ?? {});
  }

  function pathOf(content: string, parameters: Readonly<Record<string, string>> = {}): string {
    const given: unknown = content;
    const name = typeof given === 'string' ? cachedContentName(given) : '';
    // Any other resource has the same operations: nothing else may be deleted by mistake.
    if (!NAME.test(name))
      throw configError(
        provider,
        `"${content}" is not the name of cached content.`,
        'Pass the name that create returned.',
      );
    const all = new URLSearchParams(query);
    for (const [key, value] of Object.entries(parameters)) all.set(key, value);
    const path = name.split('/').map(toPathSegment).join('/');
    return `${basePath}/${path}${all.size === 0 ? '' : `?${all.toString()}`}`;
  }

  function read(fields: Fields): CachedContent {
    const name = asText(fields['name']);
    if (name === undefined) throw protocolError(provider, 'the cached content has no name.');
    const expiresAt = asNumber(Date.parse(asText(fields['expireTime']) ?? ''));
    const tokens = asNumber(asFields(fields['usageMetadata'])?.['totalTokenCount']);
    return { name, model: asText(fields['model']) ?? '', ...definedFields({ expiresAt, tokens }) };
  }

  return {
    async create(content, options = {}) {
      checkTtl('create', options);
      const { displayName, ...request } = content;
      const encoded = encode({ ...request, stream: false });
      const fields = contentOf(asFields(parseJson(takeBody(encoded))) ?? {});
      const body = { model: resourceName(request.model), ...fields, displayName, ...ttlOf(options) };
      const cached = read(await send('POST', `${basePath}/cachedContents${query}`, options.signal, body));
      return encoded.warnings.length === 0 ? cached : { ...cached, warnings: encoded.warnings };
    },
    async get(content, options = {}) {
      return read(await send('GET', pathOf(content), options.signal));
    },
    async update(content, options) {
      checkTtl('update', options);
      return read(await send('PATCH', pathOf(content, { updateMask: 'ttl' }), options.signal, ttlOf(options)));
    },
    async delete(content, options = {}) {
      await send('DELETE', pathOf(content), options.signal);
    },
  };
}

function checkTtl(owner: 'create' | 'update', options: CacheTtlOptions): void {
  const { ttlMs } = options;
  if (ttlMs !== undefined || owner === 'update') checkNumber(owner, 'ttlMs', ttlMs ?? Number.NaN, 1);
}

/** Without messages, `contents` is left out: there may be a system prompt alone. */
function contentOf(fields: Fields): Fields {
  const { contents, ...rest } = pickFields(fields, CACHED);
  return Array.isArray(contents) && contents.length > 0 ? { contents, ...rest } : rest;
}

function ttlOf({ ttlMs }: CacheTtlOptions): { readonly ttl?: string } {
  return ttlMs === undefined ? {} : { ttl: `${Math.ceil(ttlMs / 1000)}s` };
}
