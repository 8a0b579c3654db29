import { untilAborted } from '@kernel/internal';
import {
  type RecordedDecision,
  type PendingCall,
  type SuspendedCall,
  toModelText,
  type ToolCall,
  type ToolResultJson,
  toResultJson,
  type Step,
} from '@kernel/protocol';
import type { CallApproval } from '../approval/call-approval.ts';
import type { BeginTurn } from '../turn/turn-tools.ts';
import type { RunCallContext } from './run-call-context.ts';
import { hookStopAnswer } from '../loop/hook-stop.ts';
import { createStep, type StepContext } from '../loop/steps.ts';

/** The output of an approval step. */
export type ApprovalOutput =
  | (RecordedDecision & { readonly digest: string })
  | { readonly decision: 'later'; readonly pending: PendingCall }
  | { readonly decision: 'refused'; readonly result: ToolResultJson; readonly handled?: string };

/** What a question about a call consists of. */
export interface ApprovalQuestion {
  /** Decides. */
  readonly approval: CallApproval;
  /** The call. */
  readonly call: ToolCall;
  /** What an earlier run kept of it. */
  readonly kept: SuspendedCall | undefined;
  /** Passed on with the call. */
  readonly callContext: RunCallContext;
  /** Passed on with the call. */
  readonly idempotencyKey: string;
  /** Awaited before the tools of the call's turn are used. */
  readonly beginTurn: BeginTurn;
}

const ABORTED = { decision: 'deny', reason: 'the run was aborted before a decision.', digest: '' } as const;

/** Creates the step `approve:<callId>`. Never rejects, and settles at once on abort. */
export function approveStep(context: StepContext, question: ApprovalQuestion): Step {
  const { call, kept } = question;
  const input = { call, ...(kept?.decision && { kept: { decision: kept.decision, digest: kept.digest ?? '' } }) };
  return createStep(context, { id: `approve:${call.id}`, kind: 'approve', input }, (scope) => decide(question, scope));
}

/** Decides on a call within a step. */
export async function decide(
  { approval, call, kept, callContext, idempotencyKey, beginTurn }: ApprovalQuestion,
  { signal, emit }: StepContext,
): Promise<ApprovalOutput> {
  try {
    const begun = beginTurn(signal);
    if (begun !== undefined) await begun;
    const deciding = approval.decide(call, kept, { ...callContext, signal, idempotencyKey }, emit);
    const decision = await untilAborted(deciding, signal);
    if (decision.decision !== 'refused') return decision;
    const { result } = decision;
    const handled = hookStopAnswer(result.error);
    return {
      decision: 'refused',
      result: toResultJson({ ...result, forLLM: toModelText(result) }),
      ...(handled === undefined ? {} : { handled }),
    };
  } catch (error) {
    if (signal.aborted) return ABORTED;
    throw error;
  }
}
