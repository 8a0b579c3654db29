import { attempt, isObject } from '@kernel/internal';
import type { FinishReason, Usage } from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';

const FINISH: ReadonlyMap<string, FinishReason> = new Map([
  ['end_turn', 'stop'],
  ['max_tokens', 'length'],
  ['max_turn_requests', 'length'],
  ['refusal', 'refusal'],
]);

/** Says why a turn of an agent ended. What it says of a turn that it was not asked to cancel is another end. */
export function finishReasonOf(stopReason: string): FinishReason {
  return FINISH.get(stopReason) ?? 'other';
}

/** Returns the usage of a turn; undefined if the agent tells none. */
export function toUsage(usage: unknown): Usage | undefined {
  if (!isObject(usage)) return undefined;
  const count = (key: string): number => (isCount(usage[key]) ? usage[key] : 0);
  const input = count('inputTokens');
  const output = count('outputTokens');
  const read = count('cachedReadTokens');
  const written = count('cachedWriteTokens');
  const thought = count('thoughtTokens');
  // Agents differ in whether the input has what was cached: their total tells.
  const isApart = count('totalTokens') >= input + output + read + written;
  return {
    inputTokens: isApart ? input + read + written : input,
    outputTokens: output,
    ...(read > 0 && { cachedInputTokens: read }),
    ...(written > 0 && { cacheWriteTokens: written }),
    ...(thought > 0 && { reasoningTokens: thought }),
  };
}

/** Whether a value is a count of something. */
export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}

/** Whether what the context of an agent holds is beyond what it may use. What the limit of costs cannot tell is found out by the run. */
export function isOverBudget({ tokens = Infinity, cost }: CheckedOptions['limits'], used: number): boolean {
  if (used >= tokens) return true;
  return cost !== undefined && attempt(() => cost.of({ inputTokens: used, outputTokens: 0 }) >= cost.max) === true;
}
