import type { ProviderRequest, ProviderWarning } from '@kernel/protocol';
import { modelName, notesOf } from '../wire/model-rules.ts';
import { resolveCache } from '../wire/prompt-cache.ts';

/**
 * Models that keep prefixes in memory only, as of November 2026: https://platform.openai.com/docs/guides/prompt-caching. Newer ones, and names
 * that say nothing, keep them for up to a day.
 */
const IN_MEMORY_ONLY = /^(?:gpt-3|gpt-4(?!\.1)|gpt-oss|chatgpt-|o\d|codex-mini|gpt-5-(?:mini|nano))/;

/** The fields of the body about the prompt cache, the same in both of OpenAI's APIs. `isOpenAI`: other servers refuse them. @internal */
export function cacheFields(
  request: ProviderRequest,
  isOpenAI: boolean,
  warnings: ProviderWarning[],
): Readonly<Record<string, string>> {
  const { key, ttl } = resolveCache(request, isOpenAI ? ['ttl', 'key'] : [], warnings);
  const isLong = ttl !== undefined && ttl !== '5m';
  const notes = notesOf(request.model, warnings);
  const keepsLong = !IN_MEMORY_ONLY.test(modelName(request.model));
  if (isLong && !keepsLong) notes.leftOut(`cache.ttl "${ttl}"`);
  if (ttl === '1h' && keepsLong) notes.sentAs('cache.ttl "1h"', '"24h"', 'this API has no other one');
  return {
    ...(key === undefined ? {} : { prompt_cache_key: key }),
    ...(isLong && keepsLong ? { prompt_cache_retention: '24h' } : {}),
  };
}
