import { isObject } from '@kernel/internal';
import {
  type AssistantMessage,
  type Message,
  type RecordedDecision,
  type SuspendedAgent,
  type SuspendedCall,
  type ToolCall,
  toolCallsOf,
} from '@kernel/protocol';
import { isRecordedDecision } from '../approval/approval.ts';

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

/** Returns what a message keeps of its calls that wait, by call id. What is not of this form, in a message from outside, is left out. */
export function suspendedCalls(message: Message | undefined): ReadonlyMap<string, SuspendedCall> {
  const kept: unknown = message?.role === 'assistant' ? message.suspended : undefined;
  if (!Array.isArray(kept)) return new Map();
  return new Map(kept.flatMap((value: unknown) => toSuspendedCall(value)).map((call) => [call.callId, call]));
}

/** Returns a message with what is kept of its calls; without the field if nothing is. */
export function withSuspendedCalls(message: AssistantMessage, kept: readonly SuspendedCall[]): AssistantMessage {
  const { suspended: _suspended, ...rest } = message;
  return kept.length === 0 ? rest : { ...rest, suspended: kept };
}

/** Returns a value from outside as what is kept of a call, or nothing. */
export function toSuspendedCall(value: unknown): readonly SuspendedCall[] {
  if (!isObject(value) || typeof value['callId'] !== 'string') return [];
  const { callId, decision, digest, agents, wasPending } = value;
  return [
    {
      callId,
      ...(isRecordedDecision(decision) && typeof digest === 'string' ? { decision: plain(decision), digest } : {}),
      ...(wasPending === true ? { wasPending } : {}),
      ...(Array.isArray(agents) && agents.every(isSuspendedAgent) ? { agents } : {}),
    },
  ];
}

/** The fields of a decision and no others. */
function plain(made: RecordedDecision): RecordedDecision {
  switch (made.decision) {
    case 'allow':
      return { decision: 'allow' };
    case 'deny':
      return { decision: 'deny', reason: made.reason };
    case 'edit':
      return { decision: 'edit', arguments: made.arguments };
  }
}

function isSuspendedAgent(value: unknown): value is SuspendedAgent {
  return (
    isObject(value) &&
    typeof value['name'] === 'string' &&
    typeof value['task'] === 'string' &&
    Array.isArray(value['messages'])
  );
}
