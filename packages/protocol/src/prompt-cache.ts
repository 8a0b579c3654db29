import { checkChoice, invalidOption } from './option-values.ts';
import { checkKeys, optionKeys } from './option-keys.ts';

/** How the vendor's prompt cache is used: `auto` as suits the vendor, `off` without cache points, or with these options. */
export type PromptCache = 'auto' | 'off' | PromptCacheOptions;

/** Settings of the vendor's prompt cache. One that the vendor's API does not have is left out, with a warning. */
export interface PromptCacheOptions {
  /** How long a prefix is kept after its last use, at least. Default: the vendor's shortest. Longer ones may cost more to write. */
  readonly ttl?: '5m' | '1h' | '24h' | undefined;
  /** Where cached prefixes end, for vendors that require the ends to be marked. Default: `tools`, `system` and `messages`. */
  readonly points?: readonly CachePoint[] | undefined;
  /** Requests with the same key share a cache more often, for vendors that spread requests over machines: a conversation's id, or a user's. */
  readonly key?: string | undefined;
  /**
   * The name of content that the vendor has cached before. It holds the system prompt and the tools: those of the request, and its tool
   * choice, are not sent, but the tools of the request still say what can be called. Its messages come before those of the request.
   */
  readonly content?: string | undefined;
}

/**
 * The end of a prefix: of the tools, of the system prompt, or of the whole conversation. `previous` is the end of the user's message before the last
 * reply, where the request before this one ended: a vendor that looks back only a limited distance finds it there even after many results.
 */
export type CachePoint = 'tools' | 'system' | 'previous' | 'messages';

const KEYS = optionKeys<PromptCacheOptions>({ ttl: true, points: true, key: true, content: true });
const MODES = ['auto', 'off'] as const;
const TTLS = ['5m', '1h', '24h'] as const;
const POINTS: readonly CachePoint[] = ['tools', 'system', 'previous', 'messages'];

/** Throws `CONFIG_INVALID` for anything but undefined and a `PromptCache`. `owner` is the function that got it, such as `run`. */
export function checkPromptCache(owner: string, cache: unknown): void {
  if (typeof cache !== 'object' || cache === null) {
    checkChoice(owner, 'cache', cache, MODES);
    return;
  }
  checkKeys(owner, cache, KEYS, 'cache.');
  const { ttl, points, key, content }: Partial<Record<keyof PromptCacheOptions, unknown>> = cache;
  checkChoice(owner, 'cache.ttl', ttl, TTLS);
  if (points !== undefined && !Array.isArray(points))
    throw invalidOption(owner, 'cache.points', 'an array of points', points);
  for (const point of Array.isArray(points) ? points : []) checkChoice(owner, 'cache.points', point, POINTS);
  for (const [name, value] of Object.entries({ key, content })) {
    if (value !== undefined && (typeof value !== 'string' || value === ''))
      throw invalidOption(owner, `cache.${name}`, 'a non-empty string', value);
  }
}
