import { errorMessage, onAbort } from '@kernel/internal';
import {
  type CallContext,
  type Conversation,
  KernelError,
  type Tool,
  type Toolset,
  type TurnContext,
} from '@kernel/protocol';
import { afterMicrotasks } from '../iteration/after-microtasks.ts';

/** Which tools are on offer to one run, turn by turn. */
export interface OfferedTools {
  /** The toolset. */
  readonly tools: Toolset | undefined;
  /** The conversation of the run, for the toolset. */
  readonly conversation: Conversation | undefined;
  /** The `context` of the run, for the toolset. */
  readonly context: unknown;
  /** The turn that has begun last in this process. */
  turn: TurnContext | undefined;
  /** The number of the turn whose reply the loop has got, from the model or from a journal. */
  replied: number;
  /** The turn that has begun again for its calls. */
  again: { readonly turn: number; readonly begun: Promise<readonly Tool[]> } | undefined;
}

/** How long `beginTurn` of a toolset may take. */
const BEGIN_TURN_TIMEOUT_MS = 30_000;

/** The lists of turns whose toolset offers each run its own, for whoever gets such a turn in the context of a call. */
const ownLists = new WeakMap<TurnContext, readonly Tool[]>();

/**
 * Begins a turn and returns the tools on offer in it: the array that `beginTurn` resolved to or `list()` returned, unchanged.
 *
 * Throws `TOOL_FAILED`, naming the method, for a toolset that throws or whose `beginTurn` takes longer than 30 s; `signal.reason` on abort.
 */
export async function beginTurn(offered: OfferedTools, turn: number, signal: AbortSignal): Promise<readonly Tool[]> {
  const { tools, conversation, context } = offered;
  const begun = { conversation, context, turn, signal };
  offered.turn = begun;
  if (tools === undefined) return [];
  const own = tools.beginTurn === undefined ? undefined : await callBeginTurn(tools, begun);
  if (own !== undefined) {
    ownLists.set(begun, own);
    return own;
  }
  try {
    return tools.list();
  } catch (error) {
    throw toolsetFailed('list', error);
  }
}

/**
 * Begins the turn whose calls are to run if its reply came from a journal: a toolset that chooses its tools knows the calls of a turn only once that has
 * begun in its process. Any number of calls begin it once. Undefined if there is nothing to wait for.
 */
export function beginTurnOfCalls(offered: OfferedTools, signal: AbortSignal): Promise<unknown> | undefined {
  const { tools, turn, replied } = offered;
  if (tools === undefined) return undefined;
  if (offered.again?.turn === replied) return offered.again.begun;
  if (turn?.turn === replied) return undefined;
  offered.again = { turn: replied, begun: beginTurn(offered, replied, signal) };
  return offered.again.begun;
}

/** What every call of a run gets in its context. */
export function callContextOf(
  { conversation, context, turn }: OfferedTools,
  signal: AbortSignal,
  idempotencyKey: string,
): CallContext {
  return { conversation, context, turn, signal, idempotencyKey };
}

/** Returns the tools that are on offer to the calls of a run. */
export function toolsOfCalls({ tools, turn }: OfferedTools): readonly Tool[] {
  return (turn && ownLists.get(turn)) ?? tools?.list() ?? [];
}

/** Returns the tool of a name that is on offer in a turn. */
export function findTool(tools: Toolset | undefined, name: string, turn: TurnContext | undefined): Tool | undefined {
  const listed = tools?.list().find((tool) => tool.name === name);
  // Another run may have begun a turn since in which the tool is not offered.
  return listed ?? (turn && ownLists.get(turn))?.find((tool) => tool.name === name);
}

function callBeginTurn(tools: Toolset, turn: TurnContext): Promise<readonly Tool[] | undefined> {
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
    listOf(tools, turn).then((offered) => end(undefined, offered), fail);
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
async function listOf(tools: Toolset, turn: TurnContext): Promise<readonly Tool[] | undefined> {
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
