import { untilAborted } from '@kernel/internal';
import {
  isToolResult,
  type PendingCall,
  type RecordedDecision,
  type Step,
  type SuspendedAgent,
  type SuspendedCall,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
  type ToolResultJson,
  toResultJson,
} from '@kernel/protocol';
import { beginTurnOfCalls, callContextOf } from '../loop/offered-tools.ts';
import { hookStopAnswer } from '../loop/run-end.ts';
import type { Run } from '../loop/run-state.ts';
import { createStep, type StepContext } from '../loop/steps.ts';
import { deniedError, needsApproval } from './approval.ts';
import { type CallApproval, withDecision } from './call-approval.ts';
import type { CheckedCall } from './validate-call.ts';

export interface PreparedCall {
  /** The call, with edited arguments if the decision was `edit`. */
  readonly call: ToolCall;
  /** Passed to the handler. */
  readonly idempotencyKey: string;
  /** What the call may change, as it was when the model asked for it. Absent where no executor needs to know. */
  readonly effect?: ToolEffect | undefined;
  readonly wasDecided?: boolean;
  /** Whether the call does nothing but run a sub-agent, whose steps an executor can execute one by one. */
  readonly hasInnerSteps?: boolean | undefined;
  /** The result of a call that must not run: denied, over a limit, or a repeat. */
  readonly result?: ToolResult;
  /** The answer of a hook that ended the run instead of the call. */
  readonly handled?: string;
  readonly approvedDigest?: string;
  readonly note?: string;
  /** The sub-agents that were pending at the end of an earlier run of the call. */
  readonly agents?: readonly SuspendedAgent[];
}

export type ApprovalOutput =
  | (RecordedDecision & { readonly digest: string })
  | { readonly decision: 'later'; readonly pending: PendingCall }
  | { readonly decision: 'refused'; readonly result: ToolResultJson; readonly handled?: string };

const ABORTED = { decision: 'deny', reason: 'the run was aborted before a decision.', digest: '' } as const;

/** Creates the step `approve:<callId>`. Never rejects, and settles at once on abort. */
export function approveStep(
  run: Run,
  approval: CallApproval,
  call: ToolCall,
  idempotencyKey: string,
  kept: SuspendedCall | undefined,
): Step {
  const input = { call, ...(kept?.decision && { kept: { decision: kept.decision, digest: kept.digest ?? '' } }) };
  return createStep(run, { id: `approve:${call.id}`, kind: 'approve', input }, (scope) =>
    decide(run, approval, call, idempotencyKey, kept, scope),
  );
}

async function decide(
  { offered }: Run,
  approval: CallApproval,
  call: ToolCall,
  idempotencyKey: string,
  kept: SuspendedCall | undefined,
  { signal, emit }: StepContext,
): Promise<ApprovalOutput> {
  try {
    const begun = beginTurnOfCalls(offered, signal);
    if (begun !== undefined) await begun;
    const deciding = approval.decide(call, kept, callContextOf(offered, signal, idempotencyKey), emit);
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

export function suspendRunning(
  { call, approvedDigest, note }: PreparedCall,
  agents: readonly SuspendedAgent[],
): SuspendedCall {
  const callId = call.id;
  if (approvedDigest === undefined) return { callId, agents };
  const decision =
    note === undefined ? ({ decision: 'allow' } as const) : ({ decision: 'edit', arguments: call.arguments } as const);
  return { callId, decision, digest: approvedDigest, agents };
}

/** A call right before it runs. */
export interface ConfirmedCall {
  readonly prepared: PreparedCall;
  /** What was approved of it; undefined for a call that needs no decision. */
  readonly checked?: CheckedCall;
}

/** A call whose approval does not hold for what would run now: it is pending again. */
export interface UnconfirmedCall {
  readonly suspended: SuspendedCall;
  readonly pending: readonly PendingCall[];
}

/** How often approval of a call is requested again because it has changed since. */
const MAX_ROUNDS = 5;

/**
 * Makes sure, right before a call runs, that what runs is what was approved. If the tool was replaced since, or its schema or effect has changed, its
 * approval is requested again.
 */
export async function confirmApproval(
  run: Run,
  approval: CallApproval,
  original: PreparedCall,
  stepContext: StepContext,
): Promise<ConfirmedCall | UnconfirmedCall> {
  const { signal } = stepContext;
  const { idempotencyKey } = original;
  const context = callContextOf(run.offered, signal, idempotencyKey);
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
      const decision = await decide(run, approval, call, idempotencyKey, undefined, stepContext);
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
