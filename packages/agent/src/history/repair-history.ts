import {
  KernelError,
  type Message,
  toErrorResult,
  type ToolCall,
  toolCallsOf,
  type ToolMessage,
  type ToolResult,
} from '@kernel/protocol';
import { toToolMessage } from './messages.ts';

/** What else a stored history is freed of. */
export interface RepairOptions {
  /** The vendor that will read it: opaque data of other vendors is taken out. */
  readonly vendor?: string | undefined;
}

/**
 * Returns a history in which every call has exactly one result, right after its message and in call order.
 *
 * Results without a call, second results and calls without an id or a name are dropped; a call id that an earlier message
 * has used takes its results with it. A result under another name than its call's gets the call's. A missing result becomes
 * one with `OUTCOME_UNKNOWN`, except at the end of the history: those calls are pending, and a run goes on with them. Two
 * messages of the model in a row become one. A sound history comes back as the same array.
 */
export function repairHistory(stored: readonly Message[], options: RepairOptions = {}): readonly Message[] {
  const messages = withoutForeignData(stored, options.vendor);
  const sound: Message[] = [];
  const used = new Set<string>();
  const lastIndex = messages.findLastIndex((message) => message.role !== 'tool');
  for (const [index, message] of messages.entries()) {
    if (message.role === 'tool') continue;
    if (message.role !== 'assistant') {
      sound.push(message);
      continue;
    }
    const results = resultsAfter(messages, index);
    const kept = message.content.filter((part) => part.type !== 'tool-call' || isSound(part, used));
    if (kept.length > 0) sound.push(kept.length === message.content.length ? message : { ...message, content: kept });
    for (const call of toolCallsOf({ role: 'assistant', content: kept })) {
      const result = results.get(call.id) ?? (index === lastIndex ? undefined : toToolMessage(call, lostResult(call)));
      if (result !== undefined) sound.push(result.name === call.name ? result : { ...result, name: call.name });
    }
  }
  const repaired = joined(sound);
  const isSame = repaired.length === stored.length && repaired.every((message, at) => message === stored[at]);
  return isSame ? stored : repaired;
}

/** Takes out what only another vendor understands. */
function withoutForeignData(messages: readonly Message[], vendor: string | undefined): readonly Message[] {
  if (vendor === undefined) return messages;
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.provider?.vendor === vendor) return message;
    if (!message.content.some((part) => 'providerData' in part)) return message;
    const content = message.content.map((part) => {
      if (!('providerData' in part)) return part;
      const { providerData: _foreign, ...rest } = part;
      return rest;
    });
    return { ...message, content };
  });
}

/** Joins messages of the model that follow each other, where the first has no calls that wait for results between them. */
function joined(messages: readonly Message[]): readonly Message[] {
  const out: Message[] = [];
  for (const message of messages) {
    const last = out.at(-1);
    if (message.role === 'assistant' && last?.role === 'assistant' && toolCallsOf(last).length === 0)
      out[out.length - 1] = { ...message, content: [...last.content, ...message.content] };
    else out.push(message);
  }
  return out;
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
