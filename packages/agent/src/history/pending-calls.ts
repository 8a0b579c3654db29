import { type Message, type ToolCall, toolCallsOf } from '@kernel/protocol';

/** Returns the calls at the end of a history that have no result yet, because a run ended with `approval` or crashed. */
export function pendingCalls(messages: readonly Message[]): readonly ToolCall[] {
  const answered = new Set<string>();
  for (let index = messages.length - 1; index >= 0; index -= 1) {
    const message = messages[index];
    if (message?.role === 'tool') answered.add(message.toolCallId);
    else if (message?.role === 'assistant') return toolCallsOf(message).filter((call) => !answered.has(call.id));
    else return [];
  }
  return [];
}
