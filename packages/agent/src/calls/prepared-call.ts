import {
  type SuspendedAgent,
  type SuspendedCall,
  toErrorResult,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
} from '@kernel/protocol';
import { deniedError } from '../approval/approval.ts';
import { withDecision } from '../approval/call-approval.ts';
import type { ApprovalOutput } from './approve-step.ts';

/** A call of a batch: what to run, or the result it has without running. */
export interface PreparedCall {
  /** The call, with edited arguments if the decision was `edit`. */
  readonly call: ToolCall;
  /** Passed to the handler. */
  readonly idempotencyKey: string;
  /** What the call may change, as it was when the model asked for it. Absent where no executor needs to know. */
  readonly effect?: ToolEffect | undefined;
  /** Whether it was pending at the end of a run, and decided on in a run before this one. */
  readonly wasDecided?: boolean;
  /** Whether the call is the run of an agent, whose steps an executor can execute one by one. */
  readonly hasInnerSteps?: boolean | undefined;
  /** The result of a call that must not run: denied, over a limit, or a repeat. */
  readonly result?: ToolResult;
  /** The answer of a hook that ended the run instead of the call. */
  readonly handled?: string;
  /** The digest of what was approved. */
  readonly approvedDigest?: string;
  /** Precedes the result, to say what was changed about the call. */
  readonly note?: string;
  /** The agents that waited for a decision in an earlier run of the call. */
  readonly agents?: readonly SuspendedAgent[];
}

/** Applies a decision to a call. One that was postponed lets it stay as it is. */
export function applyDecision(prepared: PreparedCall, decision: ApprovalOutput): PreparedCall {
  const { call } = prepared;
  switch (decision.decision) {
    case 'later':
      return prepared;
    case 'refused': {
      const { result, handled } = decision;
      return { ...prepared, result, ...(handled === undefined ? {} : { handled }) };
    }
    case 'deny':
      return { ...prepared, result: toErrorResult(deniedError(call, decision.reason), 'denied') };
    case 'allow':
      return { ...prepared, approvedDigest: decision.digest };
    case 'edit':
      return {
        ...prepared,
        call: withDecision(call, decision),
        approvedDigest: decision.digest,
        note: `Note: the call was run with other arguments: ${decision.arguments}`,
      };
  }
}

/** What is kept of a call that waits. */
export function suspend(
  { id: callId }: ToolCall,
  made: ApprovalOutput | undefined,
  before: Omit<SuspendedCall, 'callId'> | undefined,
): SuspendedCall {
  const agents = before?.agents && { agents: before.agents };
  if (made === undefined || made.decision === 'later' || made.decision === 'refused') return { callId, ...agents };
  const { digest, ...decision } = made;
  const wasPending = before !== undefined && (before.decision === undefined || before.wasPending === true);
  return { callId, decision, digest, ...(wasPending && { wasPending }), ...agents };
}
