import {
  type CallContext,
  isToolResult,
  KernelError,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolResult,
  toResultJson,
  type ToolResultJson,
  type Toolset,
  type Usage,
} from '@kernel/protocol';
import { inAMoment } from './after-microtasks.ts';
import { denied, fingerprint } from '../approval/approval.ts';
import type { Gate } from '../limits/semaphore.ts';
import { handledAnswer } from './hook-stop.ts';
import type { Inbox } from './inbox.ts';
import type { RunOptions } from '../options.ts';
import { inScope } from './run-scope.ts';
import { type Emit, type Step, type StepContext, toStep } from './steps.ts';

/** How long an aborted call may take to tell honestly how it ended, before it counts as abandoned. */
const GRACE_MS = 30;

/** A call of a batch: what to run, or the result it has without running. */
export interface PlannedCall {
  readonly call: ToolCall;
  readonly idempotencyKey: string;
  /** The result of a call that must not run: denied, or over a limit. */
  readonly settled?: ToolResult;
  /** The fingerprint of the call that was approved. */
  readonly approved?: string;
  /** Tells the model what was changed about its call. */
  readonly note?: string;
}

/** What a call step gives back. */
export interface CallOutput {
  readonly result: ToolResultJson;
  /** The answer of a hook that ended the run. */
  readonly handled?: string;
  /** What agents below have used for it. */
  readonly usage?: Usage;
}

/** What the calls of a run share. */
export interface CallRoom {
  readonly gate: Gate;
  readonly inbox: Inbox;
}

/** The step `tool:<callId>`: runs one call through the toolset. Never rejects; its output has no `error`, its event has. */
export function callStep(context: StepContext, options: RunOptions, room: CallRoom, planned: PlannedCall): Step {
  const { call } = planned;
  return toStep(context, `tool:${call.id}`, { call }, async (signal, emit): Promise<CallOutput> => {
    const entered = room.gate.enter();
    if (entered !== undefined) await entered;
    try {
      const begun = emit({ type: 'tool-start', call });
      if (begun !== undefined) await begun;
      const startedMs = performance.now();
      const { output: result, usage } = await inScope(
        options.approve,
        (late) => room.inbox.addUsage(late),
        async () => withheld(planned, signal, room) ?? runCall(options, room, planned, signal, emit),
      );
      const durationMs = performance.now() - startedMs;
      const told = emit({ type: 'tool-end', call, result: forReader(result), durationMs });
      if (told !== undefined) await told;
      const handled = handledAnswer(result.error);
      return {
        result: toResultJson({ ...result, forLLM: toModelText(result) }),
        ...(handled === undefined ? {} : { handled }),
        ...(usage === undefined ? {} : { usage }),
      };
    } finally {
      room.gate.leave();
    }
  });
}

/** The result as a reader gets it: without `forUser` where it is empty or silenced. */
function forReader(result: ToolResult): ToolResult {
  if (result.forUser === undefined || (result.forUser !== '' && result.silent !== true)) return result;
  const { forUser: _forUser, ...rest } = result;
  return rest;
}

/** The result of a call that must not run, if so: settled before, changed since it was approved, too late, or skipped. */
function withheld(planned: PlannedCall, signal: AbortSignal, room: CallRoom): ToolResult | undefined {
  const { call, settled, approved } = planned;
  if (settled !== undefined) return settled;
  if (signal.aborted) return stopped(call, 'cancelled', 'it was not started');
  if (approved !== undefined && approved !== fingerprint(call))
    return toErrorResult(denied(call, 'it is not the call that was approved.'), 'denied');
  const reason = room.inbox.skipReason();
  if (reason === undefined) return undefined;
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" was not started: ${reason}.`);
  return toErrorResult(error, 'skipped');
}

async function runCall(
  options: RunOptions,
  room: CallRoom,
  planned: PlannedCall,
  signal: AbortSignal,
  emit: Emit,
): Promise<ToolResult> {
  const { call, note } = planned;
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
      if (isComplete) return;
      isComplete = true;
      room.inbox.addOutcome(call, late);
      void emit({ type: 'tool-complete', callId: call.id, result: late });
    },
  };
  const result = await settle(options.tools, call, context);
  isOver = true;
  return note === undefined ? result : { ...result, forLLM: `${note}\n${result.forLLM}` };
}

/** Settles within the grace after an abort, whatever the toolset does. A toolset that throws has broken its port: a failure. */
function settle(tools: Toolset, call: ToolCall, context: CallContext): Promise<ToolResult> {
  const { signal } = context;
  return new Promise((resolve) => {
    let isOver = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = (result: ToolResult): void => {
      isOver = true;
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      resolve(result);
    };
    const onAbort = (): void => {
      timer = setTimeout(() => end(stopped(call, 'abandoned', 'it may still be running')), GRACE_MS);
    };
    const fail = (error: unknown): void => {
      const why = error instanceof Error ? error.message : String(error);
      end(toErrorResult(new KernelError('TOOL_FAILED', `"${call.name}" failed: ${why}`, { cause: error })));
    };
    const take = (given: unknown): void => {
      try {
        end(isToolResult(given) ? given : noResult(call, given));
      } catch (error) {
        fail(error);
      }
    };
    try {
      const work: Promise<unknown> = Promise.resolve(tools.call(call, context));
      work.then(take, fail);
    } catch (error) {
      fail(error);
    }
    // A call that is over by now costs no listener.
    inAMoment(() => {
      if (isOver) return;
      if (signal.aborted) onAbort();
      else signal.addEventListener('abort', onAbort, { once: true });
    });
  });
}

/** What a toolset gave that is no result: a breach of its port, told to the model as a failure. */
function noResult(call: ToolCall, given: unknown): ToolResult {
  const what = given === null ? 'null' : typeof given;
  return toErrorResult(new KernelError('TOOL_FAILED', `"${call.name}" gave ${what} instead of a result.`));
}

function stopped(call: ToolCall, outcome: 'cancelled' | 'abandoned', state: string): ToolResult {
  return toErrorResult(
    new KernelError('TOOL_CANCELLED', `"${call.name}" was stopped by the caller; ${state}.`),
    outcome,
  );
}
