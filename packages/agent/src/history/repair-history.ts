import {
  type AssistantMessage,
  KernelError,
  type Message,
  type SuspendedCall,
  toErrorResult,
  type ToolCall,
  toolCallsOf,
  type ToolMessage,
  type ToolResult,
} from '@kernel/protocol';
import { freezeMessage, toToolMessage, withSystem } from './messages.ts';
import { suspendedCalls, withSuspendedCalls } from './suspended-calls.ts';

/** What else to remove from a stored history. */
export interface RepairOptions {
  /** The vendor that will read it: the opaque data of other vendors is removed. */
  readonly vendor?: string | undefined;
  /**
   * Whether the history comes from someone who must not decide on calls, such as a browser. Then decisions and the histories of agents that wait are
   * removed, so that every pending call needs a new decision. Default false.
   */
  readonly untrusted?: boolean | undefined;
}

/**
 * Returns a history in which every call has exactly one result, right after its message and in call order.
 *
 * Removed are results without a call, second results, a message of the model with calls that stands there twice in a row, calls without an id or a name, and calls whose id an earlier message has used, together with
 * their results. A result that names another tool than its call gets the call's name. At the end of the history, calls without a result are pending,
 * and a run starts with them. Anywhere else a missing result becomes one with `OUTCOME_UNKNOWN`, or, for a call that waited for a decision, one that
 * says that it has not run. Two consecutive messages of the model become one. A valid history is returned as the same array.
 */
export function repairHistory(stored: readonly Message[], options: RepairOptions = {}): readonly Message[] {
  const own = withoutDecisions(withoutForeignData(stored, options.vendor), options.untrusted === true);
  const messages = own.filter((message, index) => !isRepeated(message, own[index - 1]));
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
    const content = message.content.filter((part) => part.type !== 'tool-call' || isSound(part, used));
    const kept = suspendedCalls(message);
    const calls = toolCallsOf({ role: 'assistant', content });
    const waiting = index === lastIndex ? calls.filter(({ id }) => kept.has(id) && !results.has(id)) : [];
    const sameContent = content.length === message.content.length ? message : { ...message, content };
    if (content.length > 0) sound.push(keepSuspended(sameContent, kept, waiting));
    for (const call of calls) {
      const missing = (): ToolMessage => toToolMessage(call, missingResult(call, kept.get(call.id)));
      const result = results.get(call.id) ?? (index === lastIndex ? undefined : missing());
      if (result !== undefined) sound.push(result.name === call.name ? result : { ...result, name: call.name });
    }
  }
  const repaired = mergeReplies(sound);
  const isUnchanged = repaired.length === stored.length && repaired.every((message, at) => message === stored[at]);
  return isUnchanged ? stored : repaired;
}

/** The result of a call whose own was lost: it is unknown whether the call ran. */
export function lostResult(call: ToolCall): ToolResult {
  const error = new KernelError('OUTCOME_UNKNOWN', `The result of "${call.name}" was lost.`, {
    hint: 'It may or may not have run: check before calling it again.',
  });
  return toErrorResult(error, 'unknown');
}

/** The result of a call that was not run because the user wrote something else while it waited; `wasBegun` if agents of it did run. */
export function notRunResult(call: ToolCall, wasBegun: boolean): ToolResult {
  const what = wasBegun
    ? `"${call.name}" has not finished: calls of its own waited for a decision and have not run`
    : `"${call.name}" has not run: the run ended before it began`;
  const error = new KernelError('TOOL_SKIPPED', `${what}, and then the user wrote something else.`, {
    hint: 'Call it again only if it is still wanted.',
  });
  return toErrorResult(error, 'skipped');
}

function missingResult(call: ToolCall, kept: SuspendedCall | undefined): ToolResult {
  return kept === undefined ? lostResult(call) : notRunResult(call, kept.agents !== undefined);
}

/** The message with what is kept of the calls that still wait, and of no others. */
function keepSuspended(
  message: AssistantMessage,
  kept: ReadonlyMap<string, SuspendedCall>,
  waiting: readonly ToolCall[],
): AssistantMessage {
  const stored: unknown = message.suspended;
  if (stored === undefined) return message;
  if (Array.isArray(stored) && kept.size === stored.length && kept.size === waiting.length) return message;
  const still = waiting.flatMap(({ id }) => kept.get(id) ?? []);
  return withSuspendedCalls(message, still);
}

/** Whether a message is the one before again, with its calls: what is stored line by line may have a line twice. */
function isRepeated(message: Message, before: Message | undefined): boolean {
  if (message.role !== 'assistant' || before?.role !== 'assistant' || toolCallsOf(before).length === 0) return false;
  return JSON.stringify(message.content) === JSON.stringify(before.content);
}

/** Removes decisions and the histories of agents that wait; what remains says which calls have not run. */
function withoutDecisions(messages: readonly Message[], isUntrusted: boolean): readonly Message[] {
  if (!isUntrusted) return messages;
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.suspended === undefined) return message;
    return withSuspendedCalls(
      message,
      [...suspendedCalls(message).keys()].map((callId) => ({ callId })),
    );
  });
}

/** Removes the opaque data that only another vendor understands. */
function withoutForeignData(messages: readonly Message[], vendor: string | undefined): readonly Message[] {
  if (vendor === undefined) return messages;
  return messages.map((message) => {
    if (message.role !== 'assistant' || message.provider?.vendor === vendor) return message;
    const content = withoutOpaqueData(message.content);
    return content === message.content ? message : { ...message, content };
  });
}

/** Content without opaque parts and opaque data; the same array if there are none. */
function withoutOpaqueData(content: AssistantMessage['content']): AssistantMessage['content'] {
  if (!content.some((part) => 'providerData' in part)) return content;
  return content.flatMap((part): AssistantMessage['content'] => {
    if (part.type === 'opaque') return [];
    if (!('providerData' in part)) return [part];
    const { providerData: _providerData, ...rest } = part;
    return [rest];
  });
}

/** Merges consecutive messages of the model, unless the first has calls, whose results belong between them. */
function mergeReplies(messages: readonly Message[]): readonly Message[] {
  const merged: Message[] = [];
  for (const message of messages) {
    const last = merged.at(-1);
    if (message.role === 'assistant' && last?.role === 'assistant' && toolCallsOf(last).length === 0) {
      // The merged message has one author: what only the other one understands must not reach it.
      const isSameVendor = last.provider?.vendor === message.provider?.vendor;
      const before = isSameVendor ? last.content : withoutOpaqueData(last.content);
      merged[merged.length - 1] = { ...message, content: [...before, ...message.content] };
    } else merged.push(message);
  }
  return merged;
}

/** Whether a call has an id and a name, and an id that no earlier call has; adds its id to `used`. */
function isSound(call: ToolCall, used: Set<string>): boolean {
  if (call.id === '' || call.name === '' || used.has(call.id)) return false;
  used.add(call.id);
  return true;
}

/** The results between a message and the next that is not a result, by call id; of two for one call, the first. */
function resultsAfter(messages: readonly Message[], index: number): Map<string, ToolMessage> {
  const results = new Map<string, ToolMessage>();
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at];
    if (message?.role !== 'tool') break;
    if (!results.has(message.toolCallId)) results.set(message.toolCallId, message);
  }
  return results;
}

/** Returns the history that a run begins with: repaired, frozen, with `system` as its only system prompt. */
export function initialHistory(messages: readonly Message[], system: string | undefined): Message[] {
  return repairHistory(withSystem(messages, system)).map(freezeMessage);
}
