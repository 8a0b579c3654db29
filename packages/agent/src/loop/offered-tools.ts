import { errorMessage, linkAbort, untilAborted } from '@kernel/internal';
import { KernelError, type Tool, type Toolset } from '@kernel/protocol';
import type { OfferedTools, Run } from './run-state.ts';

/** How long `listFor` of a toolset may take. */
const LIST_TIMEOUT_MS = 30_000;

/**
 * Begins a turn and returns the tools on offer in it: the array that `listFor` or `list` of the toolset gave, unchanged. A promise only where the toolset
 * has something to wait for.
 *
 * Throws, or rejects with, `TOOL_FAILED`, naming the method, for a toolset that throws or whose `listFor` takes longer than 30 s; `signal.reason` on abort.
 */
export function beginTurn({ offered, options }: Run, number: number, signal: AbortSignal): OfferedTools['begun'] {
  const { tools } = offered;
  const { conversation, context } = options;
  const turn = { conversation, context, turn: number, signal };
  offered.turn = turn;
  if (tools === undefined) return offered.listed;
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
  offered.begun = listed instanceof Promise ? untilListed(tools, listed, signal).then(read) : read(listed);
  return offered.begun;
}

/**
 * Begins the turn whose calls are to run if its reply came from a journal: a toolset that chooses its tools knows the calls of a turn only once that has
 * begun in its process. Any number of calls begin it once.
 */
export function beginTurnOfCalls(run: Run, signal: AbortSignal): OfferedTools['begun'] {
  const { begun, repliedTurn, turn } = run.offered;
  return turn?.turn === repliedTurn ? begun : beginTurn(run, repliedTurn, signal);
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
