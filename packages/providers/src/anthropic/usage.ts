import type { Usage } from '@kernel/protocol';
import { asFields } from '../json-fields.ts';
import { toUsage } from '../wire/usage.ts';

/** Later counts replace earlier ones; those that are absent are kept. */
export function createUsageReader() {
  const counts = new Map<string, number>();
  let serverToolCalls: Readonly<Record<string, number>> | undefined;
  return (value: unknown): Usage | undefined => {
    for (const [key, count] of Object.entries(asFields(value) ?? {}))
      if (typeof count === 'number') counts.set(key, count);
    serverToolCalls = serverToolCallsOf(asFields(value)?.['server_tool_use']) ?? serverToolCalls;
    const cachedInputTokens = counts.get('cache_read_input_tokens');
    const cacheWriteTokens = counts.get('cache_creation_input_tokens');
    // The vendor does not include cached tokens in its input count.
    const cached = (cachedInputTokens ?? 0) + (cacheWriteTokens ?? 0);
    const details = { cachedInputTokens, cacheWriteTokens, serverToolCalls };
    return toUsage(counts.get('input_tokens'), counts.get('output_tokens'), details, cached);
  };
}

function serverToolCallsOf(value: unknown): Readonly<Record<string, number>> | undefined {
  const counts = Object.entries(asFields(value) ?? {}).flatMap(([key, count]): [string, number][] =>
    typeof count === 'number' && count > 0 ? [[key.replace(/_requests$/, ''), count]] : [],
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}
