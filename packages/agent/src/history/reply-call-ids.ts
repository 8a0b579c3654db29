import {
  type AgentEvent,
  type AssistantMessage,
  type DroppedCall,
  type MessageEnd,
  type ToolCallDelta,
  toolCallsOf,
} from '@kernel/protocol';
import { isUnusableId, withUniqueCallIds } from './call-ids.ts';

/** Makes the call ids of one reply unique in its history, so that its deltas and its message have the same ones. */
export interface ReplyCallIds {
  /** Returns an event of the reply with the id that counts; the same object if no id had to change. For the events of one reply, in order. */
  rename(event: AgentEvent): AgentEvent;
  /** Returns the end of the reply with the ids that its deltas had. */
  finish(end: MessageEnd): MessageEnd;
}

/** A call of which a delta had an id. */
interface NamedCall {
  readonly index: number;
  /** The id as the provider gave it. */
  readonly given: string;
  /** The id that counts. */
  readonly id: string;
  readonly name: string | undefined;
}

/** Creates the ids of one reply. `used` has those of the history. Those of a withdrawn reply are not used again: its reader has seen them. */
export function createReplyCallIds(used: ReadonlySet<string>): ReplyCallIds {
  // The calls that are not in the message yet. Made with the first call: most replies have none.
  let named: Map<number, NamedCall> | undefined;
  let taken: Set<string> | undefined;
  let withdrawn: ReadonlySet<string> | undefined;

  const isTaken = (id: string): boolean => used.has(id) || taken?.has(id) === true;

  function uniqueId(given: string): string {
    if (!isTaken(given) && !isUnusableId(given)) return given;
    let next = used.size + 1;
    while (isTaken(`call_${next}`)) next += 1;
    return `call_${next}`;
  }

  function nameCall(index: number, given: string, name: string | undefined): NamedCall {
    const call = { index, given, id: uniqueId(given), name };
    taken ??= new Set();
    taken.add(call.id);
    named ??= new Map();
    named.set(index, call);
    return call;
  }

  /** The call of a delta that has this id, or, where a provider has changed the id since, the one at this position. */
  function take(given: string, name: string, index?: number): string | undefined {
    const there = index === undefined ? undefined : named?.get(index);
    const call = withGivenId(given) ?? ((there?.name ?? name) === name ? there : undefined);
    if (call !== undefined) named?.delete(call.index);
    return call?.id;
  }

  function withGivenId(given: string): NamedCall | undefined {
    for (const call of named?.values() ?? []) if (call.given === given) return call;
    return undefined;
  }

  function finishMessage(message: AssistantMessage): AssistantMessage {
    const calls = toolCallsOf(message);
    const ids = calls.map(({ id, name }, index) => take(id, name, index) ?? (isTaken(id) ? '' : id));
    const isSame = calls.every(({ id }, index) => id === ids[index]);
    let index = -1;
    const content = isSame
      ? message.content
      : message.content.map((part) => (part.type === 'tool-call' ? { ...part, id: ids[(index += 1)] ?? '' } : part));
    const renamed = isSame ? message : { ...message, content };
    return withUniqueCallIds(renamed, withdrawn === undefined ? used : new Set([...used, ...withdrawn]));
  }

  function renameDelta(delta: ToolCallDelta): ToolCallDelta {
    const { id: given = '', ...unnamed } = delta;
    if (given === '') return unnamed;
    const { id } = named?.get(delta.index) ?? nameCall(delta.index, given, delta.name);
    return id === given ? delta : { ...delta, id };
  }

  return {
    rename(event) {
      if (event.type === 'tool-call-delta') return event.id === undefined ? event : renameDelta(event);
      if (event.type === 'reply-withdrawn') {
        withdrawn = taken && new Set(taken);
        named = undefined;
      }
      return event;
    },
    finish(end) {
      if (named === undefined && withdrawn === undefined) {
        const message = withUniqueCallIds(end.message, used);
        return message === end.message ? end : { ...end, message };
      }
      const message = finishMessage(end.message);
      const droppedCalls = end.droppedCalls?.map((call): DroppedCall => ({
        ...call,
        id: take(call.id, call.name) ?? call.id,
      }));
      return { ...end, message, ...(droppedCalls && { droppedCalls }) };
    },
  };
}
