import { KernelError, type Tool, toErrorResult, type ToolCall, type ToolResult } from '@kernel/protocol';
import { untilAborted } from './after-microtasks.ts';
import { type ApprovalDecision, type Approve, decide, denied, fingerprint } from '../approval/approval.ts';
import type { PlannedCall } from './tool-calls.ts';
import type { Meter } from '../limits/run-limits.ts';
import type { LoopGuard } from '../limits/loop-guard.ts';
import type { Screening } from './offered-tools.ts';
import type { RunOptions } from '../options.ts';
import { runBatch, type Step, type StepContext, type Steps, toStep } from './steps.ts';

/** A decision, and the fingerprint of the call that it allows. */
type Approved = ApprovalDecision & { readonly approved?: string };

const NO_ANSWER: ApprovalDecision = { decision: 'deny', reason: 'there was no answer.' };

/** What planning a batch needs beside the run itself. */
export interface Batch {
  readonly calls: readonly ToolCall[];
  readonly screening: Screening;
  readonly meter: Meter;
  readonly guard: LoopGuard | undefined;
}

/**
 * Decides about every call of a batch before any of them runs: limits first, then one batch of `approve:<callId>` steps.
 * Returns what to run, in call order, or `later` when a decision was put off: then nothing of the batch runs.
 */
export async function planCalls(
  steps: Steps,
  context: StepContext,
  options: RunOptions,
  batch: Batch,
): Promise<readonly PlannedCall[] | 'later'> {
  const { calls, screening, meter, guard } = batch;
  const unoffered = new Set(screening.unoffered);
  const settled = new Map<string, ToolResult>();
  for (const call of calls) {
    if (unoffered.has(call.id)) settled.set(call.id, notOffered(call, options.tools?.list() ?? []));
    else if (!meter.admit(call)) settled.set(call.id, overLimit(call));
    else {
      const refusal = guard?.refusal(call);
      if (refusal !== undefined) settled.set(call.id, refusal);
    }
  }
  const asked = calls.filter((call) => screening.ask.includes(call.id) && !settled.has(call.id));
  const decisions = new Map<string, Approved>();
  const { approve } = options;
  if (approve !== undefined && asked.length > 0) {
    const tools = new Map((options.tools?.list() ?? []).map((tool) => [tool.name, tool]));
    const answers = await runBatch<Approved>(
      steps,
      asked.map((call) => approveStep(context, approve, call, tools.get(call.name))),
    );
    for (const [index, call] of asked.entries()) decisions.set(call.id, answers[index] ?? NO_ANSWER);
  }
  if ([...decisions.values()].some(({ decision }) => decision === 'later')) return 'later';
  return calls.map((call): PlannedCall => {
    const idempotencyKey = `${screening.key}:${call.id}`;
    const result = settled.get(call.id);
    if (result !== undefined) return { call, idempotencyKey, settled: result };
    const answer = decisions.get(call.id);
    if (answer === undefined) return { call, idempotencyKey };
    if (answer.decision === 'deny')
      return { call, idempotencyKey, settled: toErrorResult(denied(call, answer.reason), 'denied') };
    const approved = answer.approved ?? 'nothing';
    if (answer.decision !== 'edit') return { call, idempotencyKey, approved };
    const note = `Note: the call was run with other arguments: ${answer.arguments}`;
    return { call: { ...call, arguments: answer.arguments }, idempotencyKey, approved, note };
  });
}

function approveStep(context: StepContext, approve: Approve, call: ToolCall, tool: Tool | undefined): Step {
  return toStep(context, `approve:${call.id}`, { call }, async (signal, emit): Promise<Approved> => {
    if (tool === undefined) return { decision: 'deny', reason: 'the tool is gone.' };
    await emit({ type: 'approval-request', call, tool });
    try {
      const answer = await untilAborted(decide(approve, call, tool, signal), signal);
      if (answer.decision === 'deny' || answer.decision === 'later') return answer;
      return { ...answer, approved: fingerprint(answer.decision === 'edit' ? { ...call, ...answer } : call) };
    } catch {
      return { decision: 'deny', reason: 'the run was aborted before a decision.' };
    }
  });
}

function notOffered(call: ToolCall, tools: readonly Tool[]): ToolResult {
  const names = tools.slice(0, 10).map((tool) => tool.name);
  const error = new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}" is on offer.`, {
    hint: names.length === 0 ? 'There are no tools.' : `Offered: ${names.join(', ')}${tools.length > 10 ? ', …' : ''}.`,
  });
  return toErrorResult(error, 'skipped');
}

function overLimit(call: ToolCall): ToolResult {
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" has used up its calls in this run.`, {
    hint: 'Answer from what is known.',
  });
  return toErrorResult(error, 'skipped');
}
