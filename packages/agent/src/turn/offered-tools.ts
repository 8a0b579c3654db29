import { onAbort } from '@kernel/internal';
import { KernelError, type Tool, type Toolset, type TurnContext } from '@kernel/protocol';
import { afterMicrotasks } from '../loop/after-microtasks.ts';
import { reasonOf } from '../loop/reason-of.ts';

/** How long `beginTurn` of a toolset may take. */
const BEGIN_TURN_TIMEOUT_MS = 30_000;

/**
 * Begins a turn of the toolset and returns the tools on offer: the array that `list()` returned, unchanged.
 *
 * Throws `TOOL_FAILED`, naming the method, for a toolset that throws or whose `beginTurn` takes longer than 30 s; `signal.reason` on abort.
 */
export async function offeredTools(tools: Toolset | undefined, turn: TurnContext): Promise<readonly Tool[]> {
  if (tools === undefined) return [];
  if (tools.beginTurn !== undefined) await beginTurn(tools, turn);
  try {
    return tools.list();
  } catch (error) {
    throw toolsetFailed('list', error);
  }
}

function beginTurn(tools: Toolset, turn: TurnContext): Promise<void> {
  const { signal } = turn;
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let removeAbortListener: (() => void) | undefined;
    const end = (error?: unknown): void => {
      hasEnded = true;
      clearTimeout(timer);
      removeAbortListener?.();
      if (signal.aborted) reject(signal.reason);
      else if (error === undefined) resolve();
      else reject(error);
    };
    const fail = (error: unknown): void => end(toolsetFailed('beginTurn', error));
    callBeginTurn(tools, turn).then(() => end(), fail);
    // A toolset that is done by now needs neither a timer nor a listener.
    afterMicrotasks(() => {
      if (hasEnded) return;
      if (signal.aborted) return end();
      removeAbortListener = onAbort(signal, end);
      timer = setTimeout(
        () => fail(new Error(`it took longer than ${BEGIN_TURN_TIMEOUT_MS} ms`)),
        BEGIN_TURN_TIMEOUT_MS,
      );
    });
  });
}

/** Turns a synchronous throw into a rejection. */
async function callBeginTurn(tools: Toolset, turn: TurnContext): Promise<void> {
  await tools.beginTurn?.(turn);
}

function toolsetFailed(method: string, error: unknown): KernelError {
  const why = reasonOf(error);
  return new KernelError('TOOL_FAILED', `${method}() of the toolset failed: ${why}.`, { cause: error });
}
