import type { Usage } from '@kernel/protocol';
import { asFields, asNumber } from '../../json-fields.ts';

export function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value);
  if (usage === undefined) return undefined;
  const input = asNumber(usage['prompt_tokens']);
  const output = asNumber(usage['completion_tokens']);
  if (input === undefined && output === undefined) return undefined;
  const cached =
    asNumber(asFields(usage['prompt_tokens_details'])?.['cached_tokens']) ?? asNumber(usage['prompt_cache_hit_tokens']);
  const written = asNumber(asFields(usage['prompt_tokens_details'])?.['cache_write_tokens']);
  const reasoning = asNumber(asFields(usage['completion_tokens_details'])?.['reasoning_tokens']);
  // Some servers (xAI) count reasoning beside the completion, not in it: the total says which.
  const total = asNumber(usage['total_tokens']);
  const isBeside = reasoning !== undefined && total === (input ?? 0) + (output ?? 0) + reasoning;
  return {
    inputTokens: input ?? 0,
    outputTokens: (output ?? 0) + (isBeside ? reasoning : 0),
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
