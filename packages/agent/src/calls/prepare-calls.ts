import {
  KernelError,
  type PendingCall,
  type SuspendedCall,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type StepExecutor,
} from '@kernel/protocol';
import type { CallApproval } from '../approval/call-approval.ts';
import type { LoopGuard } from '../limits/loop-guard.ts';
import type { UsageMeter } from '../limits/usage-meter.ts';
import { type ApprovalOutput, approveStep } from './approve-step.ts';
import type { RunCallContext } from './run-call-context.ts';
import { type CallBatch, idempotencyKeyOf, plainCall } from './call-batch.ts';
import type { BeginTurn } from '../turn/turn-tools.ts';
import { applyDecision, type PreparedCall, suspend } from './prepared-call.ts';
import { ownListOf } from '../turn/offered-tools.ts';
import { runBatch, type StepContext } from '../loop/steps.ts';

/** What decides whether a call of a run may run. */
export interface CallPolicy {
  /** The toolset, for the tools that exist. */
  readonly tools: Toolset | undefined;
  /** Passed on with a call that is validated. */
  readonly callContext: RunCallContext;
  /** Awaited before the tools of a turn are used. */
  readonly beginTurn: BeginTurn;
  /** Decides on calls. Absent where every call runs. */
  readonly approval: CallApproval | undefined;
  /** Counts the calls of each tool. */
  readonly meter: UsageMeter;
  /** Absent where repeats are not limited. */
  readonly guard: LoopGuard | undefined;
}

/** The calls of a batch that may run now, or, if a decision was postponed, what is kept of all of them. */
export type PreparedBatch =
  | { readonly prepared: readonly PreparedCall[] }
  | { readonly suspended: readonly SuspendedCall[]; readonly pending: readonly PendingCall[] };

const NO_DECISION: ApprovalOutput = { decision: 'deny', reason: 'there was no answer.', digest: '' };

/**
 * Decides on every call of a batch before any of them runs: limits first, then one batch of `approve:<callId>` steps. If a decision was
 * postponed, nothing of the batch runs, and the other decisions are kept.
 */
export async function prepareCalls(
  steps: StepExecutor,
  context: StepContext,
  policy: CallPolicy,
  calls: readonly ToolCall[],
  batch: CallBatch,
  kept: ReadonlyMap<string, SuspendedCall>,
): Promise<PreparedBatch> {
  const refused = refuseCalls(policy, calls, batch);
  const undecided = calls.filter((call) => batch.needApproval.includes(call.id) && !refused.has(call.id));
  if (policy.approval === undefined && undecided.length > 0) throw unaskedError(undecided);
  const decisions = await requestDecisions(steps, context, policy, undecided, batch, kept);
  const pending = [...decisions.values()].flatMap((made) => (made.decision === 'later' ? [made.pending] : []));
  if (pending.length > 0)
    return { pending, suspended: calls.map((call) => suspend(call, decisions.get(call.id), kept.get(call.id))) };
  const prepared = calls.map((call): PreparedCall => {
    const { agents, wasPending: wasDecided } = kept.get(call.id) ?? {};
    const plain = { ...plainCall(batch, call), ...(agents && { agents }), ...(wasDecided && { wasDecided }) };
    const result = refused.get(call.id);
    if (result !== undefined) return { ...plain, result };
    const decision = decisions.get(call.id) ?? unaskedDecision(policy, kept.get(call.id));
    return decision === undefined ? plain : applyDecision(plain, decision);
  });
  return { prepared };
}

/** Calls of a journal that an earlier run would have asked about must not run because nobody is there to ask. */
function unaskedError(calls: readonly ToolCall[]): KernelError {
  const names = [...new Set(calls.map(({ name }) => name))].join(', ');
  return new KernelError(
    'CONFIG_INVALID',
    `The run goes on without approve(), and calls of it need a decision: ${names}.`,
    {
      hint: 'Pass the same approve as when the run began.',
    },
  );
}

/** The kept decision of a run that continues without an approval: a denial stays one, and an edited call stays edited. */
function unaskedDecision({ approval }: CallPolicy, kept: SuspendedCall | undefined): ApprovalOutput | undefined {
  if (approval !== undefined || kept?.decision === undefined) return undefined;
  return { ...kept.decision, digest: kept.digest ?? '' };
}

/** The results, by call id, of the calls that are not on offer, over their tool's limit, or repeats. */
function refuseCalls(
  { tools, callContext, meter, guard }: CallPolicy,
  calls: readonly ToolCall[],
  batch: CallBatch,
): ReadonlyMap<string, ToolResult> {
  const refused = new Map<string, ToolResult>();
  const notOffered = new Set(batch.notOffered);
  for (const call of calls) {
    if (notOffered.has(call.id))
      refused.set(call.id, notOfferedResult(call, ownListOf(callContext.turn) ?? tools?.list() ?? []));
    else if (!meter.admitCall(call)) refused.set(call.id, overLimitResult(call));
    else {
      const refusal = guard?.refusal(call);
      if (refusal !== undefined) refused.set(call.id, refusal);
    }
  }
  return refused;
}

async function requestDecisions(
  steps: StepExecutor,
  context: StepContext,
  { approval, callContext, beginTurn }: CallPolicy,
  calls: readonly ToolCall[],
  batch: CallBatch,
  kept: ReadonlyMap<string, SuspendedCall>,
): Promise<ReadonlyMap<string, ApprovalOutput>> {
  const decisions = new Map<string, ApprovalOutput>();
  if (approval === undefined || calls.length === 0) return decisions;
  const answers = await runBatch<ApprovalOutput>(
    steps,
    calls.map((call) => {
      const idempotencyKey = idempotencyKeyOf(batch, call);
      return approveStep(context, { approval, call, kept: kept.get(call.id), callContext, idempotencyKey, beginTurn });
    }),
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
