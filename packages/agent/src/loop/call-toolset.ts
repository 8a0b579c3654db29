import { onAbort, errorMessage } from '@kernel/internal';
import {
  type CallContext,
  isRepeatable,
  isToolResult,
  KernelError,
  resultAfterAbort,
  toErrorResult,
  toModelText,
  type ToolCall,
  type ToolResult,
  type Toolset,
  unreadableResult,
} from '@kernel/protocol';
import { hookStopAnswer } from './run-end.ts';

// On the toolset, so that wrappers that spread it keep it.
const NEEDS_ABORT_OUTCOME = Symbol('needsAbortOutcome');

/** Marks a toolset whose results may not say how an aborted call ended. */
export function markNeedsAbortOutcome<Context>(tools: Toolset<Context>): Toolset<Context> {
  return Object.assign(tools, { [NEEDS_ABORT_OUTCOME]: true });
}

/** How long an aborted call may take to report how it ended before it counts as abandoned. */
const ABORT_GRACE_MS = 30;

/**
 * Runs a call through a toolset. Never rejects, and settles within 30 ms after an abort, whatever the toolset does: a toolset that throws has broken its
 * contract, which is a failed result, or after an abort a cancelled one. One that returns something other than a result has run the call: the result says so, and is a failure only for a
 * tool that can be called again without harm. Resolves to what `onEnd` returns for the result.
 */
export function callToolset(
  tools: Toolset,
  call: ToolCall,
  context: CallContext,
  onEnd: (result: ToolResult) => ToolResult,
): Promise<ToolResult> {
  const { signal } = context;
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
    const startGrace = (): void => {
      timer = setTimeout(() => end(cancelledResult(call, 'abandoned', 'it may still be running')), ABORT_GRACE_MS);
    };
    const fail = (error: unknown): void => {
      if (timer !== undefined) {
        const done = canRepeat(tools, call.name) ? '' : 'what it has done so far is unknown. ';
        return end(
          cancelledResult(call, 'cancelled', `${done}It reported: ${errorMessage(error).replace(/[.]$/, '')}`),
        );
      }
      const message = `"${call.name}" failed: ${errorMessage(error)}`;
      end(toErrorResult(new KernelError('TOOL_FAILED', message, { cause: error })));
    };
    /** A registry's results already state how an aborted call ended; for any other toolset it is derived here. */
    const afterAbort = (result: ToolResult): ToolResult =>
      timer !== undefined && Reflect.get(tools, NEEDS_ABORT_OUTCOME) === true
        ? resultAfterAbort(result, call.name)
        : result;
    const finish = (value: unknown): void => {
      try {
        end(
          isToolResult(value)
            ? afterAbort(readResult(value))
            : afterAbort(unreadableToolsetResult(tools, call, notAResult(value))),
        );
      } catch (error) {
        end(afterAbort(unreadableToolsetResult(tools, call, errorMessage(error), error)));
      }
    };
    try {
      const work: Promise<unknown> = Promise.resolve(tools.call(call, context));
      work.then(finish, fail);
    } catch (error) {
      fail(error);
    }
    if (!hasEnded) removeAbortListener = onAbort(signal, startGrace);
  });
}

/** Copies a result, so that getters that throw do so here, and reads what the loop will read of it. */
export function readResult(value: ToolResult): ToolResult {
  let result = { ...value };
  if (result.media !== undefined) result = { ...result, media: [...result.media] };
  toModelText(result);
  hookStopAnswer(result.error);
  return result;
}

/** The result of a call that the caller's abort stopped. */
export function cancelledResult(call: ToolCall, outcome: 'cancelled' | 'abandoned', state: string): ToolResult {
  return toErrorResult(
    new KernelError('TOOL_CANCELLED', `"${call.name}" was stopped by the caller; ${state}.`),
    outcome,
  );
}

/** The result of a call that ran and whose result cannot be read. */
export function unreadableToolsetResult(
  tools: Toolset,
  { name }: ToolCall,
  why: string,
  cause: unknown = new TypeError(why),
): ToolResult {
  if (!canRepeat(tools, name)) return unreadableResult(name, `${why.replace(/[.]$/, '')}.`, cause);
  return toErrorResult(new KernelError('TOOL_FAILED', `"${name}" failed: ${why}`, { cause }));
}

/** Whether a tool can be called again without harm; false for one that is not on offer. */
function canRepeat(tools: Toolset, name: string): boolean {
  try {
    return isRepeatable(tools.list().find((tool) => tool.name === name)?.effect);
  } catch {
    return false;
  }
}

function notAResult(value: unknown): string {
  return `it returned ${value === null ? 'null' : typeof value} instead of a result`;
}
