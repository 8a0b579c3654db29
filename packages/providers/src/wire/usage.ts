import type { Usage } from '@kernel/protocol';

/** The usage of a reply; undefined if the vendor says neither count. `addedInput`, `addedOutput`: what the vendor counts apart. */
export function toUsage(
  input: number | undefined,
  output: number | undefined,
  details: { readonly [K in keyof Usage]?: Usage[K] | undefined } = {},
  addedInput = 0,
  addedOutput = 0,
): Usage | undefined {
  if (input === undefined && output === undefined) return undefined;
  const usage: { -readonly [K in keyof Usage]: Usage[K] } = {
    inputTokens: (input ?? 0) + addedInput,
    outputTokens: (output ?? 0) + addedOutput,
  };
  const { cachedInputTokens, cacheWriteTokens, reasoningTokens } = details;
  if (cachedInputTokens !== undefined) usage.cachedInputTokens = cachedInputTokens;
  if (cacheWriteTokens !== undefined) usage.cacheWriteTokens = cacheWriteTokens;
  if (reasoningTokens !== undefined) usage.reasoningTokens = reasoningTokens;
  if (details.serverToolCalls !== undefined) usage.serverToolCalls = details.serverToolCalls;
  return usage;
}
