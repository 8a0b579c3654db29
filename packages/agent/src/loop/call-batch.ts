import {
  isToolResult,
  KernelError,
  type PendingCall,
  type SuspendedCall,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
} from '@kernel/protocol';
import {
  type ApprovalOutput,
  applyDecision,
  approveStep,
  type DecidedCall,
  suspend,
} from '../approval/approve-calls.ts';
import type { Approval } from '../approval/approval.ts';
import { argumentsDigest } from '../approval/call-digest.ts';
import { makeReady, needsDecision } from './ready-calls.ts';
import type { ReadyCall, Run } from './run-state.ts';
import { inProcessSteps, runBatch } from './steps.ts';

/** What the step that outputs a reply finds out about its calls. */
export interface CallBatch {
  /** With a call's id it makes the idempotency key: the id of the run or, without one, unique to the batch. */
  readonly key: string;
  /** Whether the calls belong to a child run, whose model is asked once more if the call is repeated after a crash. */
  readonly isNested?: boolean;
  /** The ids of the calls that need a decision first. */
  readonly needApproval: readonly string[];
  /** The ids of the calls of tools that were not on offer, so that nobody could be asked: they never run. */
  readonly notOffered: readonly string[];
  /** By call id, what the calls may change. For executors that record steps: when they are replayed, the tools may have changed since the calls were made. */
  readonly effects?: Readonly<Record<string, ToolEffect>>;
  /** The calls of sub-agents. */
  readonly agents?: readonly string[];
  /** Of calls that an earlier run left pending: how many messages from the user had come in before they go on. */
  readonly waiting?: number;
}

/**
 * Prepares some calls, all before any of them is decided on, and creates their batch. Only a step may call this: without a `runId` the key is random,
 * and a journal must be able to repeat it. With `isRestricted`, calls of tools that are not in `onOffer` do not run. A promise only where the toolset gives one.
 */
export function createCallBatch(
  run: Run,
  calls: readonly ToolCall[],
  onOffer: readonly Tool[],
  signal: AbortSignal,
  isRestricted = false,
): CallBatch | Promise<CallBatch> {
  const head = { key: run.runId ?? crypto.randomUUID(), isNested: run.isChild };
  const ready: (ReadyCall | undefined)[] = [];
  const waiting: Promise<unknown>[] = [];
  for (let at = 0; at < calls.length; at += 1) {
    const call = calls[at] ?? NO_CALL;
    if (isRestricted && !onOffer.some((tool) => tool.name === call.name)) continue;
    const making = makeReady(run, call, idempotencyKeyOf(head, call), signal);
    if (making instanceof Promise) waiting.push(making.then((made) => (ready[at] = made)));
    else ready[at] = making;
  }
  return waiting.length === 0
    ? describeCalls(run, head, calls, ready)
    : Promise.all(waiting).then(() => describeCalls(run, head, calls, ready));
}

const NO_CALL: ToolCall = { type: 'tool-call', id: '', name: '', arguments: '' };

/** What a journal needs to know of the calls that are ready. */
function describeCalls(
  run: Run,
  { key, isNested }: Pick<CallBatch, 'key' | 'isNested'>,
  calls: readonly ToolCall[],
  ready: readonly (ReadyCall | undefined)[],
): CallBatch {
  const isRecorded = run.steps !== inProcessSteps;
  const needApproval: string[] = [];
  const notOffered: string[] = [];
  const effects: [string, ToolEffect][] = [];
  const agents: string[] = [];
  for (let at = 0; at < calls.length; at += 1) {
    const { id } = calls[at] ?? NO_CALL;
    const prepared = ready[at]?.prepared;
    if (prepared === undefined) notOffered.push(id);
    const runnable = prepared === undefined || isToolResult(prepared) ? undefined : prepared;
    if (isRecorded) effects.push([id, runnable?.tool.effect ?? 'external']);
    if (runnable === undefined) continue;
    if (run.approval !== undefined && needsDecision(run, runnable)) needApproval.push(id);
    if (runnable.runsAgent === true) agents.push(id);
  }
  return {
    needApproval,
    notOffered,
    key,
    ...(isNested === true && { isNested }),
    ...(isRecorded && { effects: Object.fromEntries(effects), ...(agents.length > 0 && { agents }) }),
  };
}

/** The calls of a batch that may run now, or, if some are pending, what is kept of all of them. */
export type PreparedBatch =
  | { readonly prepared: readonly DecidedCall[] }
  | { readonly suspended: readonly SuspendedCall[]; readonly pending: readonly PendingCall[] };

const NO_DECISIONS: ReadonlyMap<string, ApprovalOutput> = new Map();
const NO_DECISION: ApprovalOutput = { decision: 'deny', reason: 'there was no answer.', digest: '' };

/**
 * Decides on every call of a batch before any of them runs: limits first, then one batch of `approve:<callId>` steps. If one of
 * them is pending, nothing of the batch runs, and the other decisions are kept. Returns a promise only if there is somebody to ask.
 */
export function decideOnCalls(
  run: Run,
  calls: readonly ToolCall[],
  batch: CallBatch,
  kept: ReadonlyMap<string, SuspendedCall>,
): PreparedBatch | Promise<PreparedBatch> {
  const refused = refuseCalls(run, calls, batch);
  const undecided = calls.filter((call) => batch.needApproval.includes(call.id) && !refused.has(call.id));
  if (undecided.length === 0) return prepareCalls(run, calls, batch, kept, { refused, decisions: NO_DECISIONS });
  if (run.approval === undefined) throw missingApproveError(undecided);
  return requestDecisions(run, run.approval, undecided, batch, kept).then((decisions) =>
    prepareCalls(run, calls, batch, kept, { refused, decisions }),
  );
}

/** What was decided about the calls of a batch, by call id. */
interface Decided {
  readonly refused: ReadonlyMap<string, ToolResult>;
  readonly decisions: ReadonlyMap<string, ApprovalOutput>;
}

function prepareCalls(
  run: Run,
  calls: readonly ToolCall[],
  batch: CallBatch,
  kept: ReadonlyMap<string, SuspendedCall>,
  { refused, decisions }: Decided,
): PreparedBatch {
  const pending = [...decisions.values()].flatMap((made) => (made.decision === 'later' ? [made.pending] : []));
  if (pending.length > 0)
    return { pending, suspended: calls.map((call) => suspend(call, decisions.get(call.id), kept.get(call.id))) };
  const prepared = calls.map((call): DecidedCall => {
    const before = kept.get(call.id);
    const undecided = undecidedCall(batch, call, before);
    const result = refused.get(call.id);
    if (result !== undefined) return { ...undecided, result };
    const decision = decisions.get(call.id) ?? keptDecision(before);
    return decision === undefined ? undecided : applyDecision(undecided, decision);
  });
  return { prepared };
}

/** What is known of a call before anyone has decided on it. */
function undecidedCall(batch: CallBatch, call: ToolCall, kept: SuspendedCall | undefined): DecidedCall {
  const idempotencyKey = idempotencyKeyOf(batch, call);
  return {
    call,
    idempotencyKey,
    effect: batch.effects?.[call.id],
    hasInnerSteps: batch.agents?.includes(call.id) === true,
    ...(kept?.agents && { agents: kept.agents }),
    ...(kept?.wasPending && { wasDecided: true }),
  };
}

/**
 * The idempotency key of a call: the same for every attempt at it. In a child run it contains a digest of the tool's name and the
 * arguments: the model of a repeated run may ask for something else under the same id.
 */
function idempotencyKeyOf({ key, isNested }: Pick<CallBatch, 'key' | 'isNested'>, call: ToolCall): string {
  return isNested === true ? `${key}:${call.id}:${argumentsDigest(call)}` : `${key}:${call.id}`;
}

/** Calls of a journal that an earlier run would have asked about must not run because nobody is there to ask. */
function missingApproveError(calls: readonly ToolCall[]): KernelError {
  const names = [...new Set(calls.map(({ name }) => name))].join(', ');
  return new KernelError(
    'CONFIG_INVALID',
    `The run goes on without approve(), and calls of it need a decision: ${names}.`,
    {
      hint: 'Pass the same approve as when the run began.',
    },
  );
}

/** The kept decision on a call about which this run asks nobody: a denial stays one, an edited call stays edited, and only what was allowed runs. */
function keptDecision(kept: SuspendedCall | undefined): ApprovalOutput | undefined {
  return kept?.decision === undefined ? undefined : { ...kept.decision, digest: kept.digest ?? '' };
}

/** The results, by call id, of the calls that are not on offer, over their tool's limit, or repeats. */
function refuseCalls(
  { offered, meter, guard }: Run,
  calls: readonly ToolCall[],
  batch: CallBatch,
): ReadonlyMap<string, ToolResult> {
  const refused = new Map<string, ToolResult>();
  const notOffered = new Set(batch.notOffered);
  for (const call of calls) {
    if (notOffered.has(call.id)) refused.set(call.id, notOfferedResult(call, offered.listed));
    else if (!meter.countCall(call)) refused.set(call.id, overLimitResult(call));
    else {
      const refusal = guard?.refusal(call);
      if (refusal !== undefined) refused.set(call.id, refusal);
    }
  }
  return refused;
}

async function requestDecisions(
  run: Run,
  approval: Approval,
  calls: readonly ToolCall[],
  batch: CallBatch,
  kept: ReadonlyMap<string, SuspendedCall>,
): Promise<ReadonlyMap<string, ApprovalOutput>> {
  const decisions = new Map<string, ApprovalOutput>();
  const answers = await runBatch<ApprovalOutput>(
    run.steps,
    calls.map((call) => approveStep(run, approval, call, idempotencyKeyOf(batch, call), kept.get(call.id))),
  );
  for (const [index, call] of calls.entries()) decisions.set(call.id, answers[index] ?? NO_DECISION);
  return decisions;
}

function notOfferedResult(call: ToolCall, tools: readonly Tool[]): ToolResult {
  const names = tools.slice(0, 10).map((tool) => tool.name);
  const error = new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}" is on offer.`, {
    hint: names.length === 0 ? 'There are no tools.' : `Offered: ${names.join(', ')}${tools.length > 10 ? ', …' : ''}.`,
  });
  return toErrorResult(error, 'skipped');
}

function overLimitResult(call: ToolCall): ToolResult {
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" has used up its calls in this run.`, {
    hint: 'Answer from what is known.',
  });
  return toErrorResult(error, 'skipped');
}
