import {
  type CallContext,
  KernelError,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolResult,
  toResultJson,
  type ToolResultJson,
  type Toolset,
} from '@kernel/protocol';
import type { Gate } from './gate.ts';
import type { RunOptions } from './options.ts';
import { type Emit, type Step, type StepContext, toStep } from './steps.ts';

/** How long an aborted call may take to tell honestly how it ended, before it counts as abandoned. */
const GRACE_MS = 30;

/** A call of a batch: what to run, or the result it has without running. */
export interface PlannedCall {
  readonly call: ToolCall;
  readonly idempotencyKey: string;
  /** The result of a call that must not run: denied, or over a limit. */
  readonly settled?: ToolResult;
  /** Tells the model what was changed about its call. */
  readonly note?: string;
}

/** The step `tool:<callId>`: runs one call through the toolset. Never rejects; its output has no `error`, its event has. */
export function callStep(context: StepContext, options: RunOptions, gate: Gate, planned: PlannedCall): Step {
  const { call } = planned;
  return toStep(context, `tool:${call.id}`, { call }, async (signal, emit): Promise<ToolResultJson> => {
    const leave = await gate.enter();
    try {
      await emit({ type: 'tool-start', call });
      const startedMs = performance.now();
      const result = planned.settled ?? (await runCall(options, planned, signal, emit));
      await emit({ type: 'tool-end', call, result, durationMs: performance.now() - startedMs });
      return toResultJson({ ...result, forLLM: toModelText(result) });
    } finally {
      leave();
    }
  });
}

async function runCall(
  options: RunOptions,
  planned: PlannedCall,
  signal: AbortSignal,
  emit: Emit,
): Promise<ToolResult> {
  const { call, note } = planned;
  if (signal.aborted) return stopped(call, 'cancelled', 'it was not started');
  if (options.tools === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`));
  let isOver = false;
  let isComplete = false;
  const context: CallContext = {
    signal,
    conversation: options.conversation,
    idempotencyKey: planned.idempotencyKey,
    onProgress: (update) => {
      if (!isOver) void emit({ type: 'tool-progress', callId: call.id, update });
    },
    onComplete: (late) => {
      if (!isComplete) void emit({ type: 'tool-complete', callId: call.id, result: late });
      isComplete = true;
    },
  };
  const result = await settle(options.tools, call, context);
  isOver = true;
  return note === undefined ? result : { ...result, forLLM: `${note}\n${result.forLLM}` };
}

/** Settles within the grace after an abort, whatever the toolset does. A toolset that throws has broken its port: a failure. */
function settle(tools: Toolset, call: ToolCall, context: CallContext): Promise<ToolResult> {
  const { signal } = context;
  const { promise, resolve } = Promise.withResolvers<ToolResult>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const onAbort = (): void => {
    timer = setTimeout(() => resolve(stopped(call, 'abandoned', 'it may still be running')), GRACE_MS);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  const work = new Promise<ToolResult>((done) => done(tools.call(call, context)));
  void work.then(resolve, (error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    resolve(toErrorResult(new KernelError('TOOL_FAILED', `"${call.name}" failed: ${why}`, { cause: error })));
  });
  return promise.finally(() => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
  });
}

function stopped(call: ToolCall, outcome: 'cancelled' | 'abandoned', state: string): ToolResult {
  return toErrorResult(
    new KernelError('TOOL_CANCELLED', `"${call.name}" was stopped by the caller; ${state}.`),
    outcome,
  );
}
