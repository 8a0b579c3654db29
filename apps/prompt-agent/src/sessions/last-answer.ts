import type { SessionEntry } from '@kernel/agent';
import { textOf, toolCallsOf } from '@kernel/protocol';

/** Returns the text of the last message if it is an answer without pending calls. */
export function lastAnswerOf(entries: readonly SessionEntry[]): string | undefined {
  const last = entries.findLast((entry) => entry.type === 'message')?.message;
  if (last?.role !== 'assistant' || toolCallsOf(last).length > 0) return undefined;
  return textOf(last);
}
