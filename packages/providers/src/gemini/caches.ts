import { decodeUtf8, toJsonText } from '@kernel/internal';
import { KernelError, type ProviderRequest } from '@kernel/protocol';
import type { CacheTtlOptions, Caches, CachedContent } from '../caches/types.ts';
import { configError } from '../config/config-error.ts';
import { toPathSegment } from '../config/path-segment.ts';
import type { WireSettings } from '../config/wire-settings.ts';
import { parseJsonResponse, requestText } from '../http/response-text.ts';
import type { HttpMethod } from '../http/transport.ts';
import { asFields, asNumber, asText, type Fields, parseJson } from '../json-fields.ts';
import { pickFields } from '../wire/count-tokens.ts';
import type { WireContext } from '../wire/wire-context.ts';
import type { EncodedRequest } from '../wire/wire.ts';
import { cachedContentName, resourceName } from './config.ts';

const CACHED = ['contents', 'systemInstruction', 'tools', 'toolConfig'];
const NAME = /(?:^|\/)cachedContents\/[^/]+$/;

/** https://ai.google.dev/api/caching */
export function geminiCaches(
  { client, redactor }: WireContext,
  { basePath, name: provider, query }: WireSettings,
  encode: (request: ProviderRequest) => EncodedRequest,
): Caches {
  async function send(
    method: HttpMethod,
    path: string,
    signal: AbortSignal | undefined,
    body?: object,
  ): Promise<Fields> {
    const type = 'application/json';
    const request = { method, path, contentType: type, accept: type, body: body ? toJsonText(body) : '' };
    const text = await requestText(client, request, signal);
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
    if (name === undefined) throw new KernelError('PROVIDER_PROTOCOL', `${provider}: the cached content has no name.`);
    const expiresAt = asNumber(Date.parse(asText(fields['expireTime']) ?? ''));
    const tokens = asNumber(asFields(fields['usageMetadata'])?.['totalTokenCount']);
    return {
      name,
      model: asText(fields['model']) ?? '',
      ...(expiresAt === undefined ? {} : { expiresAt }),
      ...(tokens === undefined ? {} : { tokens }),
    };
  }

  return {
    async create({ displayName, ...request }, options = {}) {
      const { body, freeBody, warnings } = encode({ ...request, stream: false });
      const fields = asFields(parseJson(typeof body === 'string' ? body : decodeUtf8(body))) ?? {};
      freeBody?.();
      const content = {
        model: resourceName(request.model),
        ...contentOf(fields),
        ...(displayName === undefined ? {} : { displayName }),
        ...ttlOf(options),
      };
      const cached = read(await send('POST', `${basePath}/cachedContents${query}`, options.signal, content));
      return warnings.length === 0 ? cached : { ...cached, warnings };
    },
    get: async (content, { signal } = {}) => read(await send('GET', pathOf(content), signal)),
    update: async (content, options) =>
      read(await send('PATCH', pathOf(content, { updateMask: 'ttl' }), options.signal, ttlOf(options))),
    async delete(content, { signal } = {}) {
      await send('DELETE', pathOf(content), signal);
    },
  };
}

/** Without messages, `contents` is left out: there may be a system prompt alone. */
function contentOf(fields: Fields): Fields {
  const { contents, ...rest } = pickFields(fields, CACHED);
  return Array.isArray(contents) && contents.length > 0 ? { contents, ...rest } : rest;
}

function ttlOf({ ttlMs }: CacheTtlOptions): { readonly ttl?: string } {
  return ttlMs === undefined ? {} : { ttl: `${Math.ceil(ttlMs / 1000)}s` };
}
