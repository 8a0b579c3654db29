import type { Usage } from '@kernel/protocol';
import { asFields } from '../json-fields.ts';

export function serverToolCallsOf(value: unknown): Readonly<Record<string, number>> | undefined {
  const counts = Object.entries(asFields(value) ?? {}).flatMap(([key, count]): [string, number][] =>
    typeof count === 'number' && count > 0 ? [[key.replace(/_requests$/, ''), count]] : [],
  );
  return counts.length === 0 ? undefined : Object.fromEntries(counts);
}

export function usageFrom(
  counts: ReadonlyMap<string, number>,
  serverToolCalls: Readonly<Record<string, number>> | undefined,
): Usage | undefined {
  const [input, output] = [counts.get('input_tokens'), counts.get('output_tokens')];
  if (input === undefined && output === undefined) return undefined;
  const read = counts.get('cache_read_input_tokens');
  const written = counts.get('cache_creation_input_tokens');
  // The vendor does not include cached tokens in its input count.
  return {
    inputTokens: (input ?? 0) + (read ?? 0) + (written ?? 0),
    outputTokens: output ?? 0,
    ...(read === undefined ? {} : { cachedInputTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(serverToolCalls === undefined ? {} : { serverToolCalls }),
  };
}
