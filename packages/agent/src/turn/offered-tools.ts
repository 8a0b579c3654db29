import { onAbort, errorMessage } from '@kernel/internal';
import { KernelError, type Tool, type Toolset, type TurnContext } from '@kernel/protocol';
import { afterMicrotasks } from '../iteration/after-microtasks.ts';

/** How long `beginTurn` of a toolset may take. */
const BEGIN_TURN_TIMEOUT_MS = 30_000;

/**
 * Begins a turn of the toolset and returns the tools on offer: the array that `beginTurn` resolved to or `list()` returned, unchanged.
 *
 * Throws `TOOL_FAILED`, naming the method, for a toolset that throws or whose `beginTurn` takes longer than 30 s; `signal.reason` on abort.
 */
export async function offeredTools(tools: Toolset | undefined, turn: TurnContext): Promise<readonly Tool[]> {
  if (tools === undefined) return [];
  const offered = tools.beginTurn === undefined ? undefined : await beginTurn(tools, turn);
  if (offered !== undefined) {
    ownLists.set(turn, offered);
    return offered;
  }
  try {
    return tools.list();
  } catch (error) {
    throw toolsetFailed('list', error);
  }
}

/** The tools of turns whose toolset offers each run its own. */
const ownLists = new WeakMap<TurnContext, readonly Tool[]>();

/** The tools that a turn alone was offered; undefined where `list()` of the toolset says it for all runs. */
export function ownListOf(turn: TurnContext | undefined): readonly Tool[] | undefined {
  return turn === undefined ? undefined : ownLists.get(turn);
}

function beginTurn(tools: Toolset, turn: TurnContext): Promise<readonly Tool[] | undefined> {
  const { signal } = turn;
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let removeAbortListener: (() => void) | undefined;
    const end = (error?: unknown, offered?: readonly Tool[]): void => {
      hasEnded = true;
      clearTimeout(timer);
      removeAbortListener?.();
      if (signal.aborted) reject(signal.reason);
      else if (error === undefined) resolve(offered);
      else reject(error);
    };
    const fail = (error: unknown): void => end(toolsetFailed('beginTurn', error));
    callBeginTurn(tools, turn).then((offered) => end(undefined, offered), fail);
    // A toolset that is done by now needs neither a timer nor a listener.
    afterMicrotasks(() => {
      if (hasEnded) return;
      if (signal.aborted) return end();
      removeAbortListener = onAbort(signal, () => end());
      timer = setTimeout(
        () => fail(new Error(`it took longer than ${BEGIN_TURN_TIMEOUT_MS} ms`)),
        BEGIN_TURN_TIMEOUT_MS,
      );
    });
  });
}

/** Turns a synchronous throw into a rejection. */
async function callBeginTurn(tools: Toolset, turn: TurnContext): Promise<readonly Tool[] | undefined> {
  const offered: unknown = await tools.beginTurn?.(turn);
  return isToolList(offered) ? offered : undefined;
}

function isToolList(value: unknown): value is readonly Tool[] {
  return Array.isArray(value);
}

function toolsetFailed(method: string, error: unknown): KernelError {
  const why = errorMessage(error);
  return new KernelError('TOOL_FAILED', `${method}() of the toolset failed: ${why}.`, { cause: error });
}
