import { checkKeys, checkNumber, KernelError, optionKeys } from '@kernel/protocol';
import type { GeminiConfig } from '../gemini/config.ts';
import { geminiCaches } from '../gemini/caches.ts';
import { geminiWire } from '../gemini/wire.ts';
import { openWire } from '../wire/wire.ts';
import type { CacheCallOptions, CacheTtlOptions, Caches, CacheContentRequest } from './types.ts';

const CALL_KEYS = optionKeys<CacheCallOptions>({ signal: true });
const TTL_KEYS = optionKeys<CacheTtlOptions>({ signal: true, ttlMs: true });
const CONTENT_KEYS = optionKeys<CacheContentRequest>({
  model: true,
  messages: true,
  tools: true,
  toolChoice: true,
  displayName: true,
});

/**
 * Creates a client for cached content from the config of a provider. Throws `PROVIDER_UNSUPPORTED` for a vendor that caches nothing by name, and `CONFIG_INVALID` for a bad config.
 *
 * @example
 * ```ts
 * import { createCaches } from '@kernel/providers/caches';
 *
 * const caches = createCaches({ name: 'gemini', token: process.env['GEMINI_API_KEY'] ?? '' });
 * ```
 */
export function createCaches(config: GeminiConfig): Caches {
  const name: string = config.name;
  if (name !== 'gemini') {
    throw new KernelError('PROVIDER_UNSUPPORTED', `"${name}" does not cache content by name.`, {
      hint: 'Use gemini. Other vendors cache the beginning of a request: set cache of the request.',
    });
  }
  const { context, settings } = openWire(geminiWire, config);
  const caches = geminiCaches(context, settings, geminiWire.createEncoder(settings));
  return {
    async create(content, options = {}) {
      checkKeys('create', content, CONTENT_KEYS);
      checkTtl('create', options);
      return caches.create(content, options);
    },
    async get(content, options = {}) {
      checkKeys('get', options, CALL_KEYS);
      return caches.get(content, options);
    },
    async update(content, options) {
      checkTtl('update', options);
      return caches.update(content, options);
    },
    async delete(content, options = {}) {
      checkKeys('delete', options, CALL_KEYS);
      return caches.delete(content, options);
    },
  };
}

function checkTtl(owner: 'create' | 'update', options: CacheTtlOptions): void {
  checkKeys(owner, options, TTL_KEYS);
  const { ttlMs } = options;
  if (ttlMs !== undefined || owner === 'update') checkNumber(owner, 'ttlMs', ttlMs ?? Number.NaN, 1);
}
