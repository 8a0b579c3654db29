import { errorMessage, isObject, onAbort, untilAborted } from '@kernel/internal';
import {
  type CallContext,
  describeType,
  isRepeatable,
  isToolResult,
  KernelError,
  type PreparedCall,
  type RunningCall,
  type Tool,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolResult,
  type ToolResultJson,
  toResultJson,
  type Toolset,
  unreadableResult,
} from '@kernel/protocol';
import { hookStopAnswer } from './run-end.ts';

/**
 * Prepares a call, whatever the toolset does: one that throws, rejects or gives something else has broken its contract, which is a failed result. A
 * preparation that does not end is left behind on abort. Never throws or rejects; a promise only where the toolset gives one.
 */
export function prepareCall(
  tools: Toolset | undefined,
  call: ToolCall,
  context: CallContext,
): ReturnType<Toolset['prepare']> {
  if (tools === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', `No tool "${call.name}".`));
  try {
    const prepared: unknown = tools.prepare(call, context);
    if (!(prepared instanceof Promise)) return readPrepared(prepared);
    return untilAborted(prepared, context.signal)
      .then(readPrepared)
      .catch((error: unknown) => unpreparedResult(call, context, error));
  } catch (error) {
    return unpreparedResult(call, context, error);
  }
}

/** Returns what a toolset has prepared. Throws if it is neither a call nor a result. */
function readPrepared(value: unknown): PreparedCall | ToolResult {
  if (isToolResult(value)) return readResult(value);
  if (isObject(value) && typeof value['run'] === 'function') {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its other members are checked here
    if (typeof value['arguments'] === 'string' && isObject(value['tool'])) return value as unknown as PreparedCall;
  }
  throw new TypeError(`the toolset gave ${describeType(value)} instead of a call or a result`);
}

function unpreparedResult(call: ToolCall, { signal }: CallContext, error: unknown): ToolResult {
  if (signal.aborted) return notStartedResult(call);
  return failedResult(`"${call.name}" could not be prepared: ${errorMessage(error)}`, error);
}

function failedResult(message: string, cause: unknown): ToolResult {
  return toErrorResult(new KernelError('TOOL_FAILED', message, { cause }));
}

/** How long an aborted call may take to report how it ended before it counts as abandoned. */
const ABORT_GRACE_MS = 30;

/**
 * Runs a prepared call. Never rejects, and settles within 30 ms after an abort, whatever the toolset does: one that throws has broken its contract,
 * which is a failed result, or after an abort a cancelled one. One that gives something other than a result has run the call: the result says so, and
 * is a failure only for a tool that can be called again without harm. Resolves to what `onEnd` returns for the result.
 */
export function runPreparedCall(
  prepared: PreparedCall,
  call: ToolCall,
  running: RunningCall,
  onEnd: (result: ToolResult) => ToolResult,
): Promise<ToolResult> {
  const { tool } = prepared;
  return new Promise((resolve) => {
    let hasEnded = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let removeAbortListener: (() => void) | undefined;
    const end = (result: ToolResult): void => {
      hasEnded = true;
      clearTimeout(timer);
      removeAbortListener?.();
      resolve(onEnd(result));
    };
    const fail = (error: unknown): void => {
      const why = errorMessage(error);
      if (timer === undefined) return end(failedResult(`"${call.name}" failed: ${why}`, error));
      const done = isRepeatable(tool.effect) ? '' : 'what it has done so far is unknown. ';
      end(cancelledResult(call, 'cancelled', `${done}It reported: ${why.replace(/[.]$/, '')}`));
    };
    const finish = (value: unknown): void => {
      try {
        const problem = `it returned ${describeType(value)} instead of a result`;
        end(isToolResult(value) ? readResult(value) : unreadableCallResult(tool, problem));
      } catch (error) {
        end(unreadableCallResult(tool, errorMessage(error), error));
      }
    };
    try {
      const work: Promise<unknown> = Promise.resolve(prepared.run(running));
      work.then(finish, fail);
    } catch (error) {
      fail(error);
    }
    if (hasEnded) return;
    removeAbortListener = onAbort(running.signal, () => {
      timer = setTimeout(() => end(cancelledResult(call, 'abandoned', 'it may still be running')), ABORT_GRACE_MS);
    });
  });
}

/** Copies a result, so that getters that throw do so here, and reads what the loop will read of it. */
function readResult(value: ToolResult): ToolResult {
  const { media, ...rest } = value;
  const result = media === undefined ? rest : { ...rest, media: [...media] };
  toModelText(result);
  return result;
}

/** Returns what a journal keeps of a result, and the answer of a hook that ended the run by it. */
export function toRecord(result: ToolResult): { readonly result: ToolResultJson; readonly handled?: string } {
  const record = toResultJson({ ...result, forLLM: toModelText(result) });
  const handled = hookStopAnswer(result.error);
  return handled === undefined ? { result: record } : { result: record, handled };
}

/** The result of a call that was aborted before it began. */
export function notStartedResult(call: ToolCall): ToolResult {
  return cancelledResult(call, 'cancelled', 'it was not started');
}

/** The result of a call that the caller's abort stopped. */
function cancelledResult({ name }: ToolCall, outcome: 'cancelled' | 'abandoned', state: string): ToolResult {
  return toErrorResult(new KernelError('TOOL_CANCELLED', `"${name}" was stopped by the caller; ${state}.`), outcome);
}

/** The result of a call that ran and whose result cannot be read. */
export function unreadableCallResult(
  { effect, name }: Tool,
  why: string,
  cause: unknown = new TypeError(why),
): ToolResult {
  if (!isRepeatable(effect)) return unreadableResult(name, `${why.replace(/[.]$/, '')}.`, cause);
  return failedResult(`"${name}" failed: ${why}`, cause);
}
