import { untilAborted } from '@kernel/internal';
import { KernelError, type Tool, toErrorResult, type ToolCall, type ToolResult, type Toolset } from '@kernel/protocol';
import { type ApprovalDecision, type Approve, deniedError, requestDecision } from '../approval/approval.ts';
import { callDigest } from '../approval/call-digest.ts';
import type { LoopGuard } from '../limits/loop-guard.ts';
import type { UsageMeter } from '../limits/usage-meter.ts';
import type { CallBatch } from './call-batch.ts';
import { createStep, runBatch, type Step, type StepContext, type StepExecutor } from './steps.ts';
import type { PreparedCall } from './tool-calls.ts';

/** What decides whether a call of a run may run. */
export interface CallPolicy {
  /** The toolset, for the tools that exist. */
  readonly tools: Toolset | undefined;
  /** Decides on calls. Absent where every call runs. */
  readonly approve: Approve | undefined;
  /** Counts the calls of each tool. */
  readonly meter: UsageMeter;
  /** Absent where repeats are not limited. */
  readonly guard: LoopGuard | undefined;
}

/** A decision, and the digest of the call that it allows. */
type Decision = ApprovalDecision & { readonly approvedDigest?: string };

const NO_DECISION: Decision = { decision: 'deny', reason: 'there was no answer.' };

/**
 * Decides on every call of a batch before any of them runs: limits first, then one batch of `approve:<callId>` steps.
 * Returns the calls in order, or `later` if a decision was postponed: then nothing of the batch runs.
 */
export async function prepareCalls(
  steps: StepExecutor,
  context: StepContext,
  policy: CallPolicy,
  calls: readonly ToolCall[],
  batch: CallBatch,
): Promise<readonly PreparedCall[] | 'later'> {
  const refused = refuseCalls(policy, calls, batch);
  const undecided = calls.filter((call) => batch.needApproval.includes(call.id) && !refused.has(call.id));
  const decisions = await requestDecisions(steps, context, policy, undecided);
  if ([...decisions.values()].some(({ decision }) => decision === 'later')) return 'later';
  return calls.map((call): PreparedCall => {
    const idempotencyKey = `${batch.key}:${call.id}`;
    const result = refused.get(call.id);
    if (result !== undefined) return { call, idempotencyKey, result };
    const decision = decisions.get(call.id);
    return decision === undefined ? { call, idempotencyKey } : applyDecision(call, idempotencyKey, decision);
  });
}

/** The results, by call id, of the calls that are not on offer, over their tool's limit, or repeats. */
function refuseCalls(
  { tools, meter, guard }: CallPolicy,
  calls: readonly ToolCall[],
  batch: CallBatch,
): ReadonlyMap<string, ToolResult> {
  const refused = new Map<string, ToolResult>();
  const notOffered = new Set(batch.notOffered);
  for (const call of calls) {
    if (notOffered.has(call.id)) refused.set(call.id, notOfferedResult(call, tools?.list() ?? []));
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
  { approve, tools }: CallPolicy,
  calls: readonly ToolCall[],
): Promise<ReadonlyMap<string, Decision>> {
  const decisions = new Map<string, Decision>();
  if (approve === undefined || calls.length === 0) return decisions;
  const byName = new Map((tools?.list() ?? []).map((tool) => [tool.name, tool]));
  const answers = await runBatch<Decision>(
    steps,
    calls.map((call) => approveStep(context, approve, call, byName.get(call.name))),
  );
  for (const [index, call] of calls.entries()) decisions.set(call.id, answers[index] ?? NO_DECISION);
  return decisions;
}

function approveStep(context: StepContext, approve: Approve, call: ToolCall, tool: Tool | undefined): Step {
  return createStep(context, `approve:${call.id}`, { call }, async (signal, emit): Promise<Decision> => {
    if (tool === undefined) return { decision: 'deny', reason: 'the tool no longer exists.' };
    await emit({ type: 'approval-request', call, tool });
    try {
      const answer = await untilAborted(requestDecision(approve, call, tool, signal), signal);
      if (answer.decision === 'deny' || answer.decision === 'later') return answer;
      return { ...answer, approvedDigest: callDigest(answer.decision === 'edit' ? { ...call, ...answer } : call) };
    } catch {
      return { decision: 'deny', reason: 'the run was aborted before a decision.' };
    }
  });
}

function applyDecision(call: ToolCall, idempotencyKey: string, decision: Decision): PreparedCall {
  if (decision.decision === 'deny')
    return { call, idempotencyKey, result: toErrorResult(deniedError(call, decision.reason), 'denied') };
  // Without a digest the decision allows nothing: no call has this one.
  const approvedDigest = decision.approvedDigest ?? 'none';
  if (decision.decision !== 'edit') return { call, idempotencyKey, approvedDigest };
  const note = `Note: the call was run with other arguments: ${decision.arguments}`;
  return { call: { ...call, arguments: decision.arguments }, idempotencyKey, approvedDigest, note };
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
