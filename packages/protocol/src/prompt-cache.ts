import { checkChoice, invalidOption } from './option-values.ts';
import { checkKeys, optionKeys } from './option-keys.ts';

/** How the vendor's prompt cache is used: as its wire does by itself, without marks, or as the options say. */
export type PromptCache = 'auto' | 'off' | PromptCacheOptions;

/** How the vendor's prompt cache is used. What a wire cannot say is left out, with a warning. */
export interface PromptCacheOptions {
  /** How long a prefix is kept after its last use, at least. Default: the vendor's shortest. Longer ones may cost more to write. */
  readonly ttl?: '5m' | '1h' | '24h' | undefined;
  /** Where the prefixes end that are kept, for vendors that want them marked. Default: `tools`, `system` and `messages`. */
  readonly points?: readonly CachePoint[] | undefined;
  /** Requests with the same key share a cache more often, for vendors that spread requests over machines: a conversation's id, or a user's. */
  readonly key?: string | undefined;
  /**
   * The name of content that was stored with the vendor before. It holds the system prompt and the tools: those of the request, and its tool
   * choice, are not sent, but the tools still say what can be called. Its messages come before those of the request.
   */
  readonly content?: string | undefined;
}

/**
 * The end of a prefix: of the tools, of the system prompt, or of the whole conversation. `previous` is the end of the user's message before the
 * last reply, where the request before this one ended: a vendor that looks back only so far finds it there although many results came since.
 */
export type CachePoint = 'tools' | 'system' | 'previous' | 'messages';

const KEYS = optionKeys<PromptCacheOptions>({ ttl: true, points: true, key: true, content: true });
const MODES = ['auto', 'off'] as const;
const LIFETIMES = ['5m', '1h', '24h'] as const;
const POINTS: readonly CachePoint[] = ['tools', 'system', 'previous', 'messages'];

/** Throws `CONFIG_INVALID` for anything but undefined and a `PromptCache`. `owner` is who was given it, such as `run`. */
export function checkPromptCache(owner: string, cache: unknown): void {
  if (typeof cache !== 'object' || cache === null) {
    checkChoice(owner, 'cache', cache, MODES);
    return;
  }
  checkKeys(owner, cache, KEYS, 'cache.');
  const { ttl, points, key, content }: Partial<Record<keyof PromptCacheOptions, unknown>> = cache;
  checkChoice(owner, 'cache.ttl', ttl, LIFETIMES);
  if (points !== undefined && !Array.isArray(points))
    throw invalidOption(owner, 'cache.points', 'a list of points', points);
  for (const point of Array.isArray(points) ? points : []) checkChoice(owner, 'cache.points', point, POINTS);
  for (const [name, value] of Object.entries({ key, content })) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw invalidOption(owner, `cache.${name}`, 'a text that is not empty', value);
  }
}
