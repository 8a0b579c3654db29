import { errorMessage, linkAbort, untilAborted } from '@kernel/internal';
import { type Conversation, KernelError, type Tool, type Toolset, type TurnContext } from '@kernel/protocol';

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
  /** The tools on offer in that turn. */
  listed: readonly Tool[];
  /** The number of the turn whose reply the loop has got, from the model or from a journal. */
  repliedTurn: number;
  /** The turn that was begun again in this process for its calls, because its reply came from a journal. */
  turnBegunForCalls: { readonly turn: number; readonly begun: Promise<readonly Tool[]> } | undefined;
}

/** How long `listFor` of a toolset may take. */
const LIST_TIMEOUT_MS = 30_000;

/**
 * Begins a turn and returns the tools on offer in it: the array that `listFor` or `list` of the toolset gave, unchanged. A promise only where the toolset
 * has something to wait for.
 *
 * Throws, or rejects with, `TOOL_FAILED`, naming the method, for a toolset that throws or whose `listFor` takes longer than 30 s; `signal.reason` on abort.
 */
export function beginTurn(
  offered: OfferedTools,
  number: number,
  signal: AbortSignal,
): readonly Tool[] | Promise<readonly Tool[]> {
  const { tools, conversation, context } = offered;
  const turn = { conversation, context, turn: number, signal };
  offered.turn = turn;
  if (tools === undefined) return [];
  const read = (listed: unknown): readonly Tool[] => {
    if (!isToolList(listed)) throw toolsetFailed(tools, new TypeError(`it gave ${typeof listed}, not a list`));
    offered.listed = listed;
    return listed;
  };
  let listed: unknown;
  try {
    listed = tools.listFor === undefined ? tools.list() : tools.listFor(turn);
  } catch (error) {
    throw toolsetFailed(tools, error);
  }
  return listed instanceof Promise ? untilListed(tools, listed, signal).then(read) : read(listed);
}

/**
 * Begins the turn whose calls are to run if its reply came from a journal: a toolset that chooses its tools knows the calls of a turn only once that has
 * begun in its process. Any number of calls begin it once. Undefined if there is nothing to wait for.
 */
export function beginTurnOfCalls(offered: OfferedTools, signal: AbortSignal): Promise<unknown> | undefined {
  const { tools, turn, repliedTurn } = offered;
  if (tools === undefined) return undefined;
  if (offered.turnBegunForCalls?.turn === repliedTurn) return offered.turnBegunForCalls.begun;
  if (turn?.turn === repliedTurn) return undefined;
  const begun = Promise.resolve(beginTurn(offered, repliedTurn, signal));
  offered.turnBegunForCalls = { turn: repliedTurn, begun };
  return begun;
}

async function untilListed(tools: Toolset, listing: Promise<unknown>, signal: AbortSignal): Promise<unknown> {
  const controller = new AbortController();
  const unlink = linkAbort(signal, controller);
  const late = (): void => controller.abort(new Error(`it took longer than ${LIST_TIMEOUT_MS} ms`));
  const timer = setTimeout(late, LIST_TIMEOUT_MS);
  try {
    return await untilAborted(listing, controller.signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : toolsetFailed(tools, error);
  } finally {
    clearTimeout(timer);
    unlink();
  }
}

function isToolList(value: unknown): value is readonly Tool[] {
  return Array.isArray(value);
}

function toolsetFailed(tools: Toolset, error: unknown): KernelError {
  const method = tools.listFor === undefined ? 'list' : 'listFor';
  return new KernelError('TOOL_FAILED', `${method}() of the toolset failed: ${errorMessage(error)}.`, { cause: error });
}
