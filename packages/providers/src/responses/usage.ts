import type { Usage } from '@kernel/protocol';
import { asFields, asNumber } from '../json-fields.ts';

export function usageOf(value: unknown): Usage | undefined {
  const usage = asFields(value);
  const input = asNumber(usage?.['input_tokens']);
  const output = asNumber(usage?.['output_tokens']);
  if (usage === undefined || (input === undefined && output === undefined)) return undefined;
  const cached = asNumber(asFields(usage['input_tokens_details'])?.['cached_tokens']);
  const written = asNumber(asFields(usage['input_tokens_details'])?.['cache_write_tokens']);
  const reasoning = asNumber(asFields(usage['output_tokens_details'])?.['reasoning_tokens']);
  return {
    inputTokens: input ?? 0,
    outputTokens: output ?? 0,
    ...(cached === undefined ? {} : { cachedInputTokens: cached }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}
