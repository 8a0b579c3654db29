import { untilAborted } from '@kernel/internal';
import {
  type Approve,
  isToolResult,
  KernelError,
  type PendingCall,
  type RecordedDecision,
  type Step,
  type SuspendedCall,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type ToolResultJson,
} from '@kernel/protocol';
import { toRecord } from '../loop/call-border.ts';
import { digestOf, type KeyedCall, prepare, preparedCall } from '../loop/prepare-calls.ts';
import type { Run } from '../loop/run-state.ts';
import { createStep, type StepContext } from '../loop/steps.ts';
import { isForOther, requestDecision } from './approval.ts';

/** A decision, and the digest of what it holds for. */
export type Decision = RecordedDecision & { readonly digest: string };

/** The output of an approve step: a decision, or why there is none. */
export type ApprovalOutput =
  | Decision
  | { readonly decision: 'later'; readonly pending: PendingCall }
  | { readonly decision: 'refused'; readonly result: ToolResultJson; readonly handled?: string };

const ABORTED = { decision: 'deny', reason: 'the run was aborted before a decision.', digest: '' } as const;

/** Creates the step `approve:<callId>`. Never rejects, and settles at once on abort. */
export function approveStep(run: Run, approve: Approve, keyed: KeyedCall, kept: SuspendedCall | undefined): Step {
  const { call } = keyed;
  const input = { call, ...(kept?.decision && { kept: { decision: kept.decision, digest: kept.digest ?? '' } }) };
  return createStep(run, { id: `approve:${call.id}`, kind: 'approve', input }, async (scope) => {
    const { signal } = scope;
    try {
      return await untilAborted(decide(run, approve, keyed, kept, scope), signal);
    } catch (error) {
      if (signal.aborted) return ABORTED;
      throw error;
    }
  });
}

/** Asks about what was prepared of a call, unless what is kept of it has a decision about exactly that. */
async function decide(
  run: Run,
  approve: Approve,
  keyed: KeyedCall,
  kept: SuspendedCall | undefined,
  { signal, emit }: StepContext,
): Promise<ApprovalOutput> {
  const { call } = keyed;
  if (kept?.decision !== undefined) {
    const decided = { ...keyed, call: withDecision(call, kept.decision) };
    const digest = digestOf(await preparedCall(run, decided, signal), decided.call);
    if (digest !== undefined && digest === kept.digest) return { ...kept.decision, digest };
  }
  const prepared = await preparedCall(run, keyed, signal);
  if (isToolResult(prepared)) return refused(prepared);
  const { tool } = prepared;
  const { options, path } = run;
  const digest = digestOf(prepared, call) ?? '';
  // The readers of the event and the approver get the same object.
  const shown = Object.freeze({ ...call, name: tool.name, arguments: prepared.arguments });
  await emit({ type: 'approval-request', call: shown, tool });
  const request = { call: shown, tool, path, digest, context: options.context, signal };
  const answer = await requestDecision(approve, request, options.approvalTimeoutMs);
  if (answer.decision === 'deny') return { ...answer, digest };
  if (answer.decision === 'later' || isForOther(answer, digest))
    return { decision: 'later', pending: { ...shown, tool, path, digest } };
  if (answer.decision === 'allow') return { decision: 'allow', digest };
  const editedCall = withDecision(call, answer);
  const edited = await prepare(run, { ...keyed, call: editedCall }, signal);
  if (isToolResult(edited)) return refused(edited);
  if (edited.tool.name === tool.name)
    return { decision: 'edit', arguments: answer.arguments, digest: digestOf(edited, editedCall) ?? '' };
  // A hook has turned it into a call of another tool, which nobody was shown.
  const message = `"${call.name}" did not run: with the edited arguments it is a call of "${edited.tool.name}".`;
  return refused(toErrorResult(new KernelError('TOOL_SKIPPED', message), 'skipped'));
}

function refused(result: ToolResult): ApprovalOutput {
  return { decision: 'refused', ...toRecord(result) };
}

/** Returns a call with the arguments that a decision has given it. */
export function withDecision(call: ToolCall, decision: RecordedDecision): ToolCall {
  return decision.decision === 'edit' ? { ...call, arguments: decision.arguments } : call;
}
