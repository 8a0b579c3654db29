import {
  type CallContext,
  type Conversation,
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
import { type Approve, deniedError } from '../approval/approval.ts';
import { callDigest } from '../approval/call-digest.ts';
import type { Semaphore } from '../limits/semaphore.ts';
import { callTool, cancelledResult } from './call-tool.ts';
import { hookStopAnswer } from './hook-stop.ts';
import type { Inbox } from './inbox.ts';
import { runInScope } from './run-scope.ts';
import { createStep, type Emit, type Step, type StepContext } from './steps.ts';

/** A call of a batch: what to run, or the result it has without running. */
export interface PreparedCall {
  /** The call, with edited arguments if the decision was `edit`. */
  readonly call: ToolCall;
  /** Passed to the handler. */
  readonly idempotencyKey: string;
  /** The result of a call that must not run: denied, over a limit, or a repeat. */
  readonly result?: ToolResult;
  /** The digest of the call that was approved. */
  readonly approvedDigest?: string;
  /** Precedes the result, to say what was changed about the call. */
  readonly note?: string;
}

/** What the calls of a run share. */
export interface CallResources {
  /** The toolset that runs calls. */
  readonly tools: Toolset | undefined;
  /** Passed to every handler. */
  readonly conversation: Conversation | undefined;
  /** The approval that agents below the run inherit. */
  readonly approve: Approve | undefined;
  /** Limits the calls that run at once. */
  readonly semaphore: Semaphore;
  /** Takes late outcomes and usage, and says when calls are skipped. */
  readonly inbox: Inbox;
}

/** The output of a call step. */
export interface CallOutput {
  /** The result as JSON, without its `error`. */
  readonly result: ToolResultJson;
  /** The answer of a hook that ended the run. */
  readonly handled?: string;
  /** What sub-agents have used for the call. */
  readonly usage?: Usage;
}

/** Creates the step `tool:<callId>`, which runs one call through the toolset. Never rejects. Its event carries the result's `error`, its output does not. */
export function callStep(context: StepContext, resources: CallResources, prepared: PreparedCall): Step {
  const { call } = prepared;
  const { approve, inbox, semaphore } = resources;
  return createStep(context, `tool:${call.id}`, { call }, async (signal, emit): Promise<CallOutput> => {
    const permit = semaphore.acquire();
    if (permit !== undefined) await permit;
    try {
      const startLag = emit({ type: 'tool-start', call });
      if (startLag !== undefined) await startLag;
      const startedMs = performance.now();
      const { output: result, usage } = await runInScope(
        approve,
        (late) => inbox.addUsage(late),
        async () => resultWithoutRunning(prepared, signal, inbox) ?? runCall(resources, prepared, signal, emit),
      );
      const durationMs = performance.now() - startedMs;
      const endLag = emit({ type: 'tool-end', call, result: toEventResult(result), durationMs });
      if (endLag !== undefined) await endLag;
      const handled = hookStopAnswer(result.error);
      return {
        result: toResultJson({ ...result, forLLM: toModelText(result) }),
        ...(handled === undefined ? {} : { handled }),
        ...(usage === undefined ? {} : { usage }),
      };
    } finally {
      semaphore.release();
    }
  });
}

/** The result for the reader of events: without `forUser` if that is empty or suppressed. */
function toEventResult(result: ToolResult): ToolResult {
  if (result.forUser === undefined || (result.forUser !== '' && result.silent !== true)) return result;
  const { forUser: _forUser, ...rest } = result;
  return rest;
}

/** The result of a call that must not run: settled before, aborted, changed since its approval, or skipped. Undefined for one that runs. */
function resultWithoutRunning(
  { call, result, approvedDigest }: PreparedCall,
  signal: AbortSignal,
  inbox: Inbox,
): ToolResult | undefined {
  if (result !== undefined) return result;
  if (signal.aborted) return cancelledResult(call, 'cancelled', 'it was not started');
  if (approvedDigest !== undefined && approvedDigest !== callDigest(call))
    return toErrorResult(deniedError(call, 'it is not the call that was approved.'), 'denied');
  const reason = inbox.skipReason();
  if (reason === undefined) return undefined;
  const error = new KernelError('TOOL_SKIPPED', `"${call.name}" was not started: ${reason}.`);
  return toErrorResult(error, 'skipped');
}

async function runCall(
  { tools, conversation, inbox }: CallResources,
  { call, idempotencyKey, note }: PreparedCall,
  signal: AbortSignal,
  emit: Emit,
): Promise<ToolResult> {
  if (tools === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`));
  let hasEnded = false;
  let isComplete = false;
  const context: CallContext = {
    signal,
    conversation,
    idempotencyKey,
    onProgress: (update) => {
      if (!hasEnded) void emit({ type: 'tool-progress', callId: call.id, update });
    },
    onComplete: (late) => {
      if (isComplete) return;
      isComplete = true;
      inbox.addOutcome(call, late);
      void emit({ type: 'tool-complete', callId: call.id, result: late });
    },
  };
  const result = await callTool(tools, call, context);
  hasEnded = true;
  return note === undefined ? result : { ...result, forLLM: `${note}\n${result.forLLM}` };
}
