import { errorMessage, wellFormed } from '@kernel/internal';
import {
  awaitsBeforeHandler,
  type Emit,
  type JsonValue,
  type StepExecutor,
  type CallContext,
  KernelError,
  type PendingCall,
  type SuspendedAgent,
  type SuspendedCall,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolResult,
  toResultJson,
  type ToolResultJson,
  type Toolset,
  type Usage,
  type Step,
} from '@kernel/protocol';
import { deniedError } from '../approval/approval.ts';
import type { CallApproval } from '../approval/call-approval.ts';
import type { Semaphore } from '../limits/semaphore.ts';
import { type AdmittedCall, admitCall } from './admit-call.ts';
import type { RunCallContext } from './run-call-context.ts';
import { callTool, cancelledResult, unreadable } from './call-tool.ts';
import { lostResult } from '../history/repair-history.ts';
import { hookStopAnswer } from '../loop/hook-stop.ts';
import type { Inbox } from '../loop/inbox.ts';
import type { PreparedCall } from './prepared-call.ts';
import { type RunInheritance, runInScope, type ScopedCall } from '../loop/run-scope.ts';
import { createStep, type RunningStep, type StepContext, withListener } from '../loop/steps.ts';
import type { BeginTurn } from '../turn/turn-tools.ts';

/** What the calls of a run share. */
export interface CallResources extends RunInheritance {
  /** The toolset that runs calls. */
  readonly tools: Toolset | undefined;
  /** Passed to every handler. */
  readonly callContext: RunCallContext;
  /** Awaited before the tools of a turn are used. */
  readonly beginTurn: BeginTurn;
  /** Executes the steps of the run. */
  readonly steps: StepExecutor;
  /** Decides on calls. Absent where every call runs. */
  readonly approval: CallApproval | undefined;
  /** The ids of the calls of agents around the run. */
  readonly path: readonly string[];
  /** Limits the calls that run at once. */
  readonly semaphore: Semaphore;
  /** Takes late outcomes and usage, and says when calls are skipped. */
  readonly inbox: Inbox;
}

/** The output of a call step: a result, or what is kept of a call that waits for a decision. */
export interface CallOutput {
  /** The result as JSON, without its `error`. */
  readonly result?: ToolResultJson;
  /** The answer of a hook that ended the run. */
  readonly handled?: string;
  /** What sub-agents have used for the call. */
  readonly usage?: Usage;
  /** What they have used by estimate, beyond that. */
  readonly estimated?: Usage;
  /** Set if the call waits. */
  readonly suspended?: SuspendedCall;
  /** What needs a decision before it can continue. */
  readonly pending?: readonly PendingCall[];
}

/** Creates the step `tool:<callId>`, which runs one call through the toolset. Never rejects. Its event carries the result's `error`, its output does not. */
export function callStep(context: StepContext, resources: CallResources, prepared: PreparedCall): Step {
  const { call, result, effect, idempotencyKey } = prepared;
  const { semaphore, approval, beginTurn, inbox, steps } = resources;
  const input = { call, ...(result === undefined ? {} : { isSettled: true }) };
  const id = `tool:${call.id}`;
  const hasInnerSteps = prepared.hasInnerSteps === true && result === undefined && steps.takesInnerSteps === true;
  const effects = effect !== undefined && result === undefined && { effect, idempotencyKey };
  const head = { id, kind: 'tool', input, ...effects, ...(hasInnerSteps && { hasInnerSteps }) } as const;
  const step = createStep(context, head, async (scope): Promise<CallOutput> => {
    const permit = semaphore.acquire();
    if (permit !== undefined) await permit;
    try {
      inbox.markRun(call);
      const willRun = resultWithoutRunning(prepared, scope.signal, inbox) === undefined;
      const begun = willRun ? beginTurn(scope.signal) : undefined;
      if (begun !== undefined) await begun;
      const running = hasInnerSteps ? { ...scope, beforeHandler: undefined } : scope;
      const inner = hasInnerSteps ? { executor: steps, id } : undefined;
      if (approval === undefined || !willRun) return await runStarted(resources, { prepared }, running, inner);
      const admitted = await admitCall(approval, resources, prepared, scope);
      return 'pending' in admitted ? admitted : await runStarted(resources, admitted, running, inner);
    } finally {
      semaphore.release();
    }
  });
  return effects === false
    ? step
    : {
        ...step,
        unknown: ({ emit = context.emit, onEvent } = {}) => unknownOutput(call, withListener(emit, onEvent)),
      };
}

/** The output of a call that had begun in a process that is gone. */
function unknownOutput(call: ToolCall, emit: Emit): JsonValue {
  const result = lostResult(call);
  void emit({ type: 'tool-start', call });
  void emit({ type: 'tool-end', call, result, durationMs: 0 });
  const json = toResultJson({ ...result, forLLM: toModelText(result) });
  const output: object = { result: json } satisfies CallOutput;
  // eslint-disable-next-line typescript/no-unsafe-type-assertion -- JSON, as every output of a step
  return output as JsonValue;
}

/** Returns the calls that do not wait, each with its result. */
export function resultsOf(
  calls: readonly ToolCall[],
  outputs: readonly CallOutput[],
): readonly (readonly [ToolCall, ToolResult])[] {
  return calls.flatMap((call, index) => {
    const { result, suspended: isWaiting } = outputs[index] ?? {};
    return isWaiting === undefined ? [[call, result ?? lostResult(call)] as const] : [];
  });
}

/** Reports the start of a call, runs it, and reports its end. */
async function runStarted(
  resources: CallResources,
  admitted: AdmittedCall,
  context: RunningStep,
  steps: ScopedCall['steps'],
): Promise<CallOutput> {
  const { prepared } = admitted;
  const { call, agents: waiting = [] } = prepared;
  const { hasBudget, approve, approvalTimeoutMs, inbox, path } = resources;
  const { signal, emit } = context;
  const startLag = emit({ type: 'tool-start', call, ...(prepared.wasDecided === true && { wasDecided: true }) });
  if (startLag !== undefined) await startLag;
  const startedMs = performance.now();
  const onLateUsage = (late: Usage): void => inbox.addUsage(late);
  const onLateEstimate = (late: Usage): void => inbox.addEstimate(late);
  const inherited = { hasBudget, approve, approvalTimeoutMs };
  const scoped = { ...inherited, emit, path: [...path, call.id], steps, agents: waiting, onLateUsage, onLateEstimate };
  const { output, usage, estimated, agents, pending } = await runInScope(
    scoped,
    async () => resultWithoutRunning(prepared, signal, inbox) ?? runCall(resources, admitted, context),
  );
  const isWaiting = agents.length > 0 && !signal.aborted;
  const result = isWaiting ? waitingResult(call, pending) : output;
  const durationMs = performance.now() - startedMs;
  const endLag = emit({ type: 'tool-end', call, result: toEventResult(result), durationMs });
  if (endLag !== undefined) await endLag;
  const used = { ...(usage && { usage }), ...(estimated && { estimated }) };
  if (isWaiting) return { suspended: suspendRunning(prepared, agents), pending, ...used };
  const handled = prepared.handled ?? hookStopAnswer(result.error);
  return {
    result: toResultJson({ ...result, forLLM: toModelText(result) }),
    ...(handled === undefined ? {} : { handled }),
    ...used,
  };
}

/** What is kept of a call whose agents wait. It was decided on before it ran. */
function suspendRunning(
  { call, approvedDigest, note }: PreparedCall,
  agents: readonly SuspendedAgent[],
): SuspendedCall {
  const callId = call.id;
  if (approvedDigest === undefined) return { callId, agents };
  const decision =
    note === undefined ? ({ decision: 'allow' } as const) : ({ decision: 'edit', arguments: call.arguments } as const);
  return { callId, decision, digest: approvedDigest, agents };
}

function waitingResult(call: ToolCall, pending: readonly PendingCall[]): ToolResult {
  const names = [...new Set(pending.map(({ name }) => `"${name}"`))].join(', ');
  return { forLLM: `"${call.name}" waits for a decision on ${names}.`, outcome: 'pending' };
}

/** The result for the reader of events: without `forUser` if that is empty or suppressed. */
function toEventResult(result: ToolResult): ToolResult {
  if (result.forUser === undefined || (result.forUser !== '' && result.silent !== true)) return result;
  const { forUser: _forUser, ...rest } = result;
  return rest;
}

/** The result of a call that must not run: settled before, aborted, or skipped. Undefined for one that runs. */
function resultWithoutRunning(
  { call, result }: PreparedCall,
  signal: AbortSignal,
  inbox: Inbox,
): ToolResult | undefined {
  if (result !== undefined) return result;
  if (signal.aborted) return cancelledResult(call, 'cancelled', 'it was not started');
  const reason = inbox.skipReason();
  if (reason === undefined) return undefined;
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" was not started: ${reason}.`);
  return toErrorResult(error, 'skipped');
}

/** The result as a journal can keep it: data that JSON cannot carry would make the run fail after the call has run. */
function recordable(tools: Toolset, call: ToolCall, result: ToolResult): ToolResult {
  if (result.data === undefined) return result;
  try {
    JSON.stringify(result.data);
    return result;
  } catch (error) {
    return unreadable(tools, call, `its data is not JSON: ${errorMessage(error)}`, error);
  }
}

async function runCall(
  { tools, callContext, inbox }: CallResources,
  { prepared, checked }: AdmittedCall,
  { signal, emit, beforeHandler }: RunningStep,
): Promise<ToolResult> {
  const { call, idempotencyKey, note } = prepared;
  if (tools === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`));
  if (beforeHandler !== undefined && !awaitsBeforeHandler(tools)) await beforeHandler();
  // The reader of events may have lagged since the check before. From here to the toolset nothing else can run.
  if (checked?.isCurrent() === false)
    return toErrorResult(deniedError(call, 'the tool has changed since the approval. Call it again.'), 'denied');
  let hasEnded = false;
  let isComplete = false;
  const context: CallContext = {
    ...callContext,
    signal,
    idempotencyKey,
    ...(checked?.approved && { approved: checked.approved }),
    ...(beforeHandler && { beforeHandler }),
    onProgress: (update) => {
      if (!hasEnded) void emit({ type: 'tool-progress', callId: call.id, update: wellFormed(update) });
    },
    onComplete: (late) => {
      if (isComplete) return;
      isComplete = true;
      inbox.addOutcome(call, late);
      void emit({ type: 'tool-complete', callId: call.id, result: late });
    },
  };
  const returned = await callTool(tools, call, context);
  hasEnded = true;
  const result = prepared.effect === undefined ? returned : recordable(tools, call, returned);
  return note === undefined ? result : { ...result, forLLM: `${note}\n${toModelText(result)}` };
}
