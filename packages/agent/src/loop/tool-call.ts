import { errorMessage, wellFormed } from '@kernel/internal';
import {
  type Emit,
  isToolResult,
  type JsonValue,
  KernelError,
  type PendingCall,
  type PreparedCall,
  type RunningCall,
  type Step,
  type SuspendedCall,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolResult,
  type ToolResultJson,
  type Usage,
} from '@kernel/protocol';
import { lostResult } from '../history/repair-history.ts';
import { notStartedResult, runPreparedCall, toRecord, unreadableCallResult } from './call-border.ts';
import { allowedCall, type DecidedCall, suspendRunning } from './decide-calls.ts';
import { addLateResult, type Inbox, skipReason } from './inbox.ts';
import { currentScope, runInScope, type RunScope } from './run-scope.ts';
import type { Run } from './run-state.ts';
import { createStep, type RunningStep, withListener } from './steps.ts';

/** The output of a call step: a result, or what is kept of a pending call. */
export interface CallOutput {
  /** The result as JSON, without its `error`. */
  readonly result?: ToolResultJson;
  /** The answer of a hook that ended the run. */
  readonly handled?: string;
  /** What sub-agents have used for the call. */
  readonly usage?: Usage;
  /** What they have used by estimate, beyond that. */
  readonly estimated?: Usage;
  /** Set if the call is pending. */
  readonly suspended?: SuspendedCall;
  /** What needs a decision before it can continue. */
  readonly pending?: readonly PendingCall[];
}

/** Creates the step `tool:<callId>`, which runs one call through the toolset. Never rejects. Its event carries the result's `error`, its output does not. */
export function callStep(run: Run, decided: DecidedCall): Step {
  const { call, result, effect, idempotencyKey, runsAgent } = decided;
  const id = `tool:${call.id}`;
  if (result !== undefined)
    return createStep(run, { id, kind: 'tool', input: { call, isSettled: true } }, (scope) =>
      runDecided(run, decided, false, scope),
    );
  const hasInnerSteps = (runsAgent && run.steps.takesInnerSteps) || undefined;
  const ofEffect = effect === undefined ? undefined : { effect, idempotencyKey };
  const step = createStep(run, { id, kind: 'tool', input: { call }, ...ofEffect, hasInnerSteps }, (scope) =>
    runDecided(run, decided, hasInnerSteps === true, scope),
  );
  if (effect === undefined) return step;
  return { ...step, unknown: ({ emit = run.emit, onEvent } = {}) => unknownOutput(call, withListener(emit, onEvent)) };
}

/** The output of a call that had begun in a process that is gone. */
function unknownOutput(call: ToolCall, emit: Emit): JsonValue {
  const result = lostResult(call);
  void emit({ type: 'tool-start', call });
  void emit({ type: 'tool-end', call, result, durationMs: 0 });
  const output: object = toRecord(result) satisfies CallOutput;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- JSON, as every output of a step
  return output as JsonValue;
}

/** Runs what was prepared of a call, once it has a permit and if what was allowed is what would run; reports its start and its end. */
async function runDecided(
  run: Run,
  decided: DecidedCall,
  hasInnerSteps: boolean,
  context: RunningStep,
): Promise<CallOutput> {
  const { semaphore, inbox } = run;
  const { call, handled, kept } = decided;
  const { signal, emit } = context;
  const permit = semaphore.acquire();
  if (permit !== undefined) await permit;
  try {
    inbox.startedCallIds.add(call.id);
    const finding = resultWithoutRunning(decided, signal, inbox) ?? allowedCall(run, decided, signal);
    const found = finding instanceof Promise ? await finding : finding;
    const startDrained = emit({ type: 'tool-start', call, ...(kept?.wasPending === true && { wasDecided: true }) });
    if (startDrained !== undefined) await startDrained;
    const startedMs = performance.now();
    const scope = scopeOf(run, decided, emit, hasInnerSteps);
    const started = hasInnerSteps ? undefined : context.beforeHandler;
    const output = isToolResult(found)
      ? found
      : (resultWithoutRunning(decided, signal, inbox) ??
        (await runInScope(scope, () => runCall(run, decided, found, { signal, emit, started }))));
    scope.children.callHasEnded = true;
    const { agents, pending, usage, estimated } = scope.children;
    const isPending = agents.length > 0 && !signal.aborted;
    const result = isPending ? pendingResult(call, pending) : output;
    const durationMs = performance.now() - startedMs;
    const endDrained = emit({ type: 'tool-end', call, result: toEventResult(result), durationMs });
    if (endDrained !== undefined) await endDrained;
    return {
      ...(isPending ? { suspended: suspendRunning(decided, agents), pending } : toRecord(result)),
      ...(handled === undefined ? {} : { handled }),
      ...(usage && { usage }),
      ...(estimated && { estimated }),
    };
  } finally {
    run.ready.delete(call.id);
    semaphore.release();
  }
}

/** What the child runs of a call get from the run that makes it, and from its parents. */
function scopeOf(run: Run, { call, kept }: DecidedCall, emit: Emit, hasInnerSteps: boolean): RunScope {
  const { options, meter, path, steps, inbox } = run;
  const outer = currentScope();
  return {
    depth: (outer?.depth ?? 0) + 1,
    path: [...path, call.id],
    emit,
    hasBudget: meter.hasBudget,
    approve: options.approve ?? outer?.approve,
    approvalTimeoutMs: options.approvalTimeoutMs ?? outer?.approvalTimeoutMs,
    steps: hasInnerSteps ? { executor: steps, id: `tool:${call.id}` } : undefined,
    inbox,
    children: {
      callHasEnded: false,
      usage: undefined,
      estimated: undefined,
      recordedRuns: 0,
      runIds: undefined,
      suspended: [...(kept?.agents ?? [])],
      agents: [],
      pending: [],
    },
  };
}

function pendingResult(call: ToolCall, pending: readonly PendingCall[]): ToolResult {
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
  { call, result }: DecidedCall,
  signal: AbortSignal,
  inbox: Inbox,
): ToolResult | undefined {
  if (result !== undefined) return result;
  if (signal.aborted) return notStartedResult(call);
  const reason = skipReason(inbox);
  if (reason === undefined) return undefined;
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" was not started: ${reason}.`);
  return toErrorResult(error, 'skipped');
}

/** The result as a journal can keep it: data that JSON cannot carry would make the run fail after the call has run. */
function recordable({ tool }: PreparedCall, result: ToolResult): ToolResult {
  if (result.data === undefined) return result;
  try {
    JSON.stringify(result.data);
    return result;
  } catch (error) {
    return unreadableCallResult(tool, `its data is not JSON: ${errorMessage(error)}`, error);
  }
}

/** Runs a prepared call, once the executor of the step knows that the handler is about to be entered. */
function runCall(
  { inbox }: Run,
  { call, decision, effect }: DecidedCall,
  prepared: PreparedCall,
  { emit, signal, started }: Pick<RunningCall, 'signal' | 'started'> & { readonly emit: Emit },
): Promise<ToolResult> {
  let hasEnded = false;
  let isComplete = false;
  const running: RunningCall = {
    signal,
    started: prepared.awaitsStarted === true ? started : undefined,
    onProgress: (update) => {
      if (!hasEnded) void emit({ type: 'tool-progress', callId: call.id, update: wellFormed(update) });
    },
    onComplete: (late) => {
      if (isComplete) return;
      isComplete = true;
      addLateResult(inbox, call, late);
      void emit({ type: 'tool-complete', callId: call.id, result: late });
    },
  };
  const onEnd = (returned: ToolResult): ToolResult => {
    hasEnded = true;
    const result = effect === undefined ? returned : recordable(prepared, returned);
    if (decision?.decision !== 'edit') return result;
    const note = `Note: the call was run with other arguments: ${decision.arguments}`;
    return { ...result, forLLM: `${note}\n${toModelText(result)}` };
  };
  if (prepared.awaitsStarted === true || started === undefined) return runPreparedCall(prepared, call, running, onEnd);
  return Promise.resolve(started()).then(() =>
    signal.aborted ? notStartedResult(call) : runPreparedCall(prepared, call, running, onEnd),
  );
}
