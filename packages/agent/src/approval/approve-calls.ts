import { untilAborted } from '@kernel/internal';
import {
  isToolResult,
  KernelError,
  type PendingCall,
  type RecordedDecision,
  type Step,
  type SuspendedAgent,
  type SuspendedCall,
  type Tool,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
  type ToolResultJson,
  toResultJson,
} from '@kernel/protocol';
import { digestOf, makeReady, readyCall } from '../loop/ready-calls.ts';
import { hookStopAnswer } from '../loop/run-end.ts';
import type { Run } from '../loop/run-state.ts';
import { createStep, type StepContext } from '../loop/steps.ts';
import { type Approval, deniedError, isForOther, requestDecision } from './approval.ts';

/** A call of a batch, and what was decided on it. */
export interface DecidedCall {
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
  approval: Approval,
  call: ToolCall,
  idempotencyKey: string,
  kept: SuspendedCall | undefined,
): Step {
  const input = { call, ...(kept?.decision && { kept: { decision: kept.decision, digest: kept.digest ?? '' } }) };
  return createStep(run, { id: `approve:${call.id}`, kind: 'approve', input }, async (scope) => {
    const { signal } = scope;
    try {
      return await untilAborted(decide(run, approval, call, idempotencyKey, kept, scope), signal);
    } catch (error) {
      if (signal.aborted) return ABORTED;
      throw error;
    }
  });
}

/** Asks about what was prepared of a call, unless what is kept of it has a decision about exactly that. */
async function decide(
  run: Run,
  { approve, timeoutMs }: Approval,
  call: ToolCall,
  idempotencyKey: string,
  kept: SuspendedCall | undefined,
  { signal, emit }: StepContext,
): Promise<ApprovalOutput> {
  if (kept?.decision !== undefined) {
    const decided = await readyCall(run, withDecision(call, kept.decision), idempotencyKey, signal);
    const digest = digestOf(decided);
    if (digest !== undefined && digest === kept.digest) return { ...kept.decision, digest };
  }
  const ready = await readyCall(run, call, idempotencyKey, signal);
  const { prepared } = ready;
  const digest = digestOf(ready) ?? '';
  if (isToolResult(prepared)) return refused(prepared);
  const { tool } = prepared;
  const { path } = run;
  // The readers of the event and the approver get the same object.
  const shown = Object.freeze({ ...call, name: tool.name, arguments: prepared.arguments });
  await emit({ type: 'approval-request', call: shown, tool });
  const answer = await requestDecision(
    approve,
    { call: shown, tool, path, digest, context: run.offered.context, signal },
    timeoutMs,
  );
  if (answer.decision === 'deny') return { ...answer, digest };
  if (answer.decision === 'later' || isForOther(answer, digest))
    return { decision: 'later', pending: { ...shown, tool, path, digest } };
  if (answer.decision === 'allow') return { decision: 'allow', digest };
  const edited = await makeReady(run, { ...call, arguments: answer.arguments }, idempotencyKey, signal);
  if (isToolResult(edited.prepared)) return refused(edited.prepared);
  return edited.prepared.tool.name !== tool.name
    ? refused(otherToolResult(call, edited.prepared.tool))
    : { decision: 'edit', arguments: answer.arguments, digest: digestOf(edited) ?? '' };
}

function refused(result: ToolResult): ApprovalOutput {
  const handled = hookStopAnswer(result.error);
  return {
    decision: 'refused',
    result: toResultJson({ ...result, forLLM: toModelText(result) }),
    ...(handled === undefined ? {} : { handled }),
  };
}

/** The result of an edited call that a hook has turned into a call of another tool, which nobody was shown. */
function otherToolResult({ name }: ToolCall, other: Tool): ToolResult {
  const message = `"${name}" did not run: with the edited arguments it is a call of "${other.name}".`;
  return toErrorResult(new KernelError('TOOL_SKIPPED', message), 'skipped');
}

function withDecision(call: ToolCall, decision: RecordedDecision): ToolCall {
  return decision.decision === 'edit' ? { ...call, arguments: decision.arguments } : call;
}

export function applyDecision(prepared: DecidedCall, decision: ApprovalOutput): DecidedCall {
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
  { call, approvedDigest, note }: DecidedCall,
  agents: readonly SuspendedAgent[],
): SuspendedCall {
  const callId = call.id;
  if (approvedDigest === undefined) return { callId, agents };
  const decision =
    note === undefined ? ({ decision: 'allow' } as const) : ({ decision: 'edit', arguments: call.arguments } as const);
  return { callId, decision, digest: approvedDigest, agents };
}
