import { KernelError } from '@kernel/protocol';
import type { GeminiConfig } from '../gemini/config.ts';
import { type Caches, geminiCaches } from '../gemini/caches.ts';
import { geminiWire } from '../gemini/wire.ts';
import { openWire } from '../wire/wire.ts';

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
  return geminiCaches(context, settings, geminiWire.createEncoder(settings));
}
