import type { CachePoint, PromptCacheOptions, ProviderRequest, ProviderWarning } from '@kernel/protocol';

export interface ResolvedCache extends PromptCacheOptions {
  /** Empty if the cache is `off`. */
  readonly marks: ReadonlySet<CachePoint>;
}

const DEFAULT_POINTS: readonly CachePoint[] = ['tools', 'system', 'messages'];
const OFF: ResolvedCache = { marks: new Set() };
const AUTO: ResolvedCache = { marks: new Set(DEFAULT_POINTS) };

/** Options that are not in `supported`, those of the wire, are left out with a warning. */
export function resolveCache(
  { cache = 'auto' }: ProviderRequest,
  supported: readonly (keyof PromptCacheOptions)[],
  warnings: ProviderWarning[],
): ResolvedCache {
  if (cache === 'off') return OFF;
  if (cache === 'auto') return AUTO;
  const taken: [string, unknown][] = [];
  for (const name of ['ttl', 'points', 'key', 'content'] as const) {
    if (cache[name] === undefined) continue;
    if (supported.includes(name)) taken.push([name, cache[name]]);
    else warnings.push({ message: `cache.${name} is left out: this API does not have it` });
  }
  return { ...Object.fromEntries(taken), marks: new Set(cache.points ?? DEFAULT_POINTS) };
}

/** These vendors keep a mark for 5 minutes, their default, or for 1 hour. */
export function markTtl({ ttl }: ResolvedCache, warnings: ProviderWarning[]): '1h' | undefined {
  if (ttl === '24h') warnings.push({ message: 'cache.ttl "24h" is sent as "1h": this API has none that long' });
  return ttl === undefined || ttl === '5m' ? undefined : '1h';
}

/** The last message, if it is the user's, and the user's last one before it. */
export function markedMessages(
  messages: readonly { readonly role: string }[],
  { marks }: ResolvedCache,
): ReadonlySet<number> {
  const last = messages.at(-1)?.role === 'user' ? messages.length - 1 : -1;
  const previous = messages.findLastIndex(({ role }, at) => role === 'user' && at < messages.length - 1);
  return new Set([marks.has('messages') ? last : -1, marks.has('previous') ? previous : -1]);
}
