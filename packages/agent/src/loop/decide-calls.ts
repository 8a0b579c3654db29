import {
  type Approve,
  isToolResult,
  KernelError,
  type PendingCall,
  type PreparedCall,
  type SuspendedAgent,
  type SuspendedCall,
  toErrorResult,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
} from '@kernel/protocol';
import { deniedError } from '../approval/approval.ts';
import { type ApprovalOutput, approveStep, type Decision, withDecision } from '../approval/approve-calls.ts';
import { notStartedResult } from './call-border.ts';
import {
  type CallBatch,
  digestOf,
  type KeyedCall,
  needsDecision,
  type Prepared,
  preparedCall,
  withKey,
} from './prepare-calls.ts';
import type { Run } from './run-state.ts';
import { runBatch } from './steps.ts';

/** A call of a batch, and what was decided on it. */
export interface DecidedCall extends KeyedCall {
  /** What the call may change, as it was when the model asked for it. Absent where no executor needs to know. */
  readonly effect: ToolEffect | undefined;
  /** Whether the call does nothing but run a sub-agent, whose steps an executor can execute one by one. */
  readonly runsAgent: boolean;
  /** What an earlier run has kept of it. */
  readonly kept: SuspendedCall | undefined;
  /** The decision by which it runs, and what that holds for. */
  readonly decision?: Decision;
  /** The result of a call that must not run: denied, over a limit, or a repeat. */
  readonly result: ToolResult | undefined;
  /** The answer of a hook that ended the run instead of the call. */
  readonly handled?: string;
}

/** The calls of a batch that may run now, or, if some are pending, what is kept of all of them. */
export type DecidedBatch =
  | { readonly decided: readonly DecidedCall[] }
  | { readonly suspended: readonly SuspendedCall[]; readonly pending: readonly PendingCall[] };

/**
 * Decides on every call of a batch before any runs: limits first, then one batch of `approve:<callId>` steps. If one is
 * pending, no call runs, and the other decisions are kept. Returns a promise only if somebody is to be asked.
 */
export function decideOnCalls(
  run: Run,
  calls: readonly ToolCall[],
  batch: CallBatch,
  kept: ReadonlyMap<string, SuspendedCall>,
): DecidedBatch | Promise<DecidedBatch> {
  const undecided = calls.map((call): DecidedCall => ({
    ...withKey(batch, call),
    effect: batch.effects?.[call.id],
    runsAgent: batch.agents?.includes(call.id) === true,
    kept: kept.get(call.id),
    result: refusalOf(run, call, batch),
  }));
  const asked = undecided.filter(({ call, result }) => result === undefined && batch.needApproval.includes(call.id));
  if (asked.length === 0) return { decided: undecided.map(withKeptDecision) };
  if (run.options.approve === undefined) throw missingApproveError(asked);
  return askAbout(run, run.options.approve, undecided, asked);
}

async function askAbout(
  run: Run,
  approve: Approve,
  undecided: readonly DecidedCall[],
  asked: readonly DecidedCall[],
): Promise<DecidedBatch> {
  const steps = asked.map((each) => approveStep(run, approve, each, each.kept));
  const outputs = await runBatch<ApprovalOutput>(run.steps, steps);
  const answerTo = (each: DecidedCall): ApprovalOutput | undefined => outputs[asked.indexOf(each)];
  const pending = outputs.flatMap((made) => (made.decision === 'later' ? [made.pending] : []));
  if (pending.length > 0) return { pending, suspended: undecided.map((each) => suspend(each, answerTo(each))) };
  const decide = (each: DecidedCall, made = answerTo(each)): DecidedCall =>
    made === undefined ? withKeptDecision(each) : applyDecision(each, made);
  return { decided: undecided.map((each) => decide(each)) };
}

/** Applies a kept decision to a call that this run asks nobody about: denials and edits hold; an allowed call runs. */
function withKeptDecision(each: DecidedCall): DecidedCall {
  const { kept, result } = each;
  if (kept?.decision === undefined || result !== undefined) return each;
  return applyDecision(each, { ...kept.decision, digest: kept.digest ?? '' });
}

function applyDecision(each: DecidedCall, made: ApprovalOutput): DecidedCall {
  switch (made.decision) {
    case 'later':
      return each;
    case 'refused': {
      const { result, handled } = made;
      return { ...each, result, ...(handled === undefined ? {} : { handled }) };
    }
    case 'deny':
      return { ...each, result: toErrorResult(deniedError(each.call, made.reason), 'denied') };
    case 'allow':
    case 'edit':
      return { ...each, call: withDecision(each.call, made), decision: made };
  }
}

/** What is kept of a call that waits because another one of its batch does, or is asked about later itself. */
function suspend({ call: { id: callId }, kept }: DecidedCall, made: ApprovalOutput | undefined): SuspendedCall {
  const agents = kept?.agents && { agents: kept.agents };
  if (made === undefined || made.decision === 'later' || made.decision === 'refused') return { callId, ...agents };
  const { digest, ...decision } = made;
  const wasPending = kept !== undefined && (kept.decision === undefined || kept.wasPending === true);
  return { callId, decision, digest, ...(wasPending && { wasPending }), ...agents };
}

/** What is kept of a call that has begun and waits for a decision on calls of its agents. */
export function suspendRunning({ call, decision }: DecidedCall, agents: readonly SuspendedAgent[]): SuspendedCall {
  if (decision === undefined) return { callId: call.id, agents };
  const { digest, ...made } = decision;
  return { callId: call.id, decision: made, digest, agents };
}

/** Returns the call to run, or a result if it cannot run or is not what was allowed. Rejects only before an abort. */
export function allowedCall(run: Run, decided: DecidedCall, signal: AbortSignal): Prepared | Promise<Prepared> {
  const { call, decision } = decided;
  const check = (prepared: Prepared): PreparedCall | ToolResult => {
    if (isToolResult(prepared)) return prepared;
    // What was allowed holds where nobody need be asked any more, too.
    if (decision !== undefined) return digestOf(prepared, call) === decision.digest ? prepared : changedResult(call);
    if (!needsDecision(run, prepared)) return prepared;
    if (run.options.approve !== undefined) return changedResult(call);
    return toErrorResult(deniedError(call, 'it needs approval, and nobody can be asked.'), 'denied');
  };
  const ready = preparedCall(run, decided, signal);
  if (!(ready instanceof Promise)) return check(ready);
  return ready.then(check).catch((error: unknown) => {
    if (signal.aborted) return notStartedResult(call);
    throw error;
  });
}

/** Calls of a journal that an earlier run would have asked about must not run because nobody is there to ask. */
function missingApproveError(calls: readonly DecidedCall[]): KernelError {
  const names = [...new Set(calls.map(({ call }) => call.name))].join(', ');
  const message = `The run goes on without approve(), and calls of it need a decision: ${names}.`;
  return new KernelError('CONFIG_INVALID', message, { hint: 'Pass the same approve as when the run began.' });
}

/** The result of a call that is not on offer, over its tool's limit, or a repeat. */
function refusalOf({ offered, meter, guard }: Run, call: ToolCall, batch: CallBatch): ToolResult | undefined {
  if (batch.notOffered.includes(call.id)) {
    const names = offered.listed.map((tool) => tool.name);
    const shown = `Offered: ${names.slice(0, 10).join(', ')}${names.length > 10 ? ', …' : ''}.`;
    const hint = names.length === 0 ? 'There are no tools.' : shown;
    return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}" is on offer.`, { hint }), 'skipped');
  }
  return meter.countCall(call)
    ? guard?.refusal(call)
    : skippedResult(`"${call.name}" has used up its calls in this run.`, 'Answer from what is known.');
}

function changedResult({ name }: ToolCall): ToolResult {
  const hint = 'Call it again to be asked about what it is now.';
  return skippedResult(`"${name}" did not run: what was allowed has changed since.`, hint);
}

function skippedResult(message: string, hint: string): ToolResult {
  return toErrorResult(new KernelError('TOOL_SKIPPED', message, { hint }), 'skipped');
}
