import {
  KernelError,
  type Message,
  toErrorResult,
  type ToolCall,
  toolCallsOf,
  type ToolMessage,
  type ToolResult,
} from '@kernel/protocol';
import { toToolMessage } from './history.ts';

/**
 * Returns a history in which every call has exactly one result, right after its message and in call order.
 *
 * Results without a call, second results and calls without an id or a name are dropped; a call id that an earlier message
 * has used takes its results with it. A missing result becomes one with `OUTCOME_UNKNOWN`, except at the end of the history:
 * those calls are pending, and a run goes on with them. A sound history comes back as the same array.
 */
export function repairHistory(messages: readonly Message[]): readonly Message[] {
  const repaired: Message[] = [];
  const used = new Set<string>();
  const lastIndex = messages.findLastIndex((message) => message.role !== 'tool');
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      repaired.push(message);
      continue;
    }
    const results = resultsAfter(messages, index);
    const kept = message.content.filter((part) => part.type !== 'tool-call' || isSound(part, used));
    if (kept.length > 0)
      repaired.push(kept.length === message.content.length ? message : { ...message, content: kept });
    for (const call of toolCallsOf({ role: 'assistant', content: kept })) {
      const result = results.get(call.id) ?? (index === lastIndex ? undefined : toToolMessage(call, lostResult(call)));
      if (result !== undefined) repaired.push(result);
    }
  }
  const isSame = repaired.length === messages.length && repaired.every((message, at) => message === messages[at]);
  return isSame ? messages : repaired;
}

function isSound(call: ToolCall, used: Set<string>): boolean {
  if (call.id === '' || call.name === '' || used.has(call.id)) return false;
  used.add(call.id);
  return true;
}

/** The results between a message and the next that is none, the first of each call. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== 'tool') break;
    if (!results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}

/** The result of a call whose own was lost: nobody knows whether it ran. */
export function lostResult(call: ToolCall): ToolResult {
  const error = new KernelError('OUTCOME_UNKNOWN', `The result of "${call.name}" was lost.`, {
    hint: 'It may or may not have run: check before calling it again.',
  });
  return toErrorResult(error, 'unknown');
}
