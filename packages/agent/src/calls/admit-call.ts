import { untilAborted } from '@kernel/internal';
import { isToolResult, type PendingCall, type SuspendedCall, toErrorResult } from '@kernel/protocol';
import { deniedError, needsApproval } from '../approval/approval.ts';
import type { CallApproval } from '../approval/call-approval.ts';
import type { CheckedCall } from '../approval/validate-call.ts';
import type { BeginTurn } from '../turn/turn-tools.ts';
import type { RunCallContext } from './run-call-context.ts';
import { decide } from './approve-step.ts';
import { applyDecision, type PreparedCall, suspend } from './prepared-call.ts';
import type { StepContext } from '../loop/steps.ts';

/** A call that may run now, or has its result. */
export interface AdmittedCall {
  /** The call. */
  readonly prepared: PreparedCall;
  /** What was approved of it; undefined for a call that needs no decision. */
  readonly checked?: CheckedCall;
}

/** A call that waits for a decision. */
export interface WaitingCall {
  /** What is kept of it. */
  readonly suspended: SuspendedCall;
  /** What needs a decision. */
  readonly pending: readonly PendingCall[];
}

/** How often approval of a call is requested again because it has changed since. */
const MAX_ROUNDS = 5;

/**
 * Makes sure, right before a call runs, that what runs is what was approved. If the tool was replaced since, or its schema or effect has changed, its
 * approval is requested again.
 */
export async function admitCall(
  approval: CallApproval,
  { callContext, beginTurn }: { readonly callContext: RunCallContext; readonly beginTurn: BeginTurn },
  original: PreparedCall,
  stepContext: StepContext,
): Promise<AdmittedCall | WaitingCall> {
  const { signal } = stepContext;
  const { idempotencyKey } = original;
  const context = { ...callContext, signal, idempotencyKey };
  let prepared = original;
  try {
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const { call, approvedDigest } = prepared;
      if (approvedDigest === undefined && !approval.isNeeded(call.name, context.turn)) {
        // oxlint-disable-next-line no-await-in-loop
        const checked = await untilAborted(approval.check(call, context), signal);
        if (checked === undefined) return { prepared };
        if (isToolResult(checked)) return { prepared: { ...prepared, result: checked } };
        if (!needsApproval(checked.tool)) return { prepared, checked };
      }
      if (approvedDigest !== undefined) {
        const checked = await untilAborted(approval.confirm(call, approvedDigest, context), signal);
        if (checked !== undefined)
          return isToolResult(checked) ? { prepared: { ...prepared, result: checked } } : { prepared, checked };
      }
      const question = { approval, call, kept: undefined, callContext, idempotencyKey, beginTurn };
      const decision = await decide(question, stepContext);
      if (decision.decision === 'later')
        return { suspended: suspend(call, decision, prepared), pending: [decision.pending] };
      prepared = applyDecision(prepared, decision);
      if (prepared.result !== undefined) return { prepared };
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    return { prepared }; // an aborted call does not run
  }
  const error = deniedError(original.call, 'the tool changed each time that it was approved.');
  return { prepared: { ...prepared, result: toErrorResult(error, 'denied') } };
}
