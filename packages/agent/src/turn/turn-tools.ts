import type { Tool, Toolset } from '@kernel/protocol';
import { nextTurn, type RunCallContext } from '../calls/run-call-context.ts';
import { offeredTools } from './offered-tools.ts';

/** Begins the turn whose calls are to run, unless it has begun in this process. Undefined if there is nothing to wait for. */
export type BeginTurn = (signal: AbortSignal) => Promise<unknown> | undefined;

/** The toolset of a run, turn by turn. */
export interface TurnTools {
  /** Begins a turn and returns the tools on offer in it. */
  begin(this: void, turn: number, signal: AbortSignal): Promise<readonly Tool[]>;
  /** Notes the turn whose reply the loop has got, from the model or from a journal. */
  enter(turn: number): void;
  /**
   * Begins that turn for its calls if its reply came from a journal: a toolset that chooses its tools knows the calls of a turn only once that has
   * begun in its process. Any number of calls begin it once.
   */
  readonly beginEntered: BeginTurn;
}

/** Creates the turns of one run. */
export function createTurnTools(tools: Toolset | undefined, callContext: RunCallContext): TurnTools {
  let entered = 0;
  let beginning: { readonly turn: number; readonly begun: Promise<readonly Tool[]> } | undefined;
  const begin = (turn: number, signal: AbortSignal): Promise<readonly Tool[]> =>
    offeredTools(tools, nextTurn(callContext, turn, signal));
  return {
    begin,
    enter: (turn) => {
      entered = turn;
    },
    beginEntered(signal) {
      if (tools === undefined) return undefined;
      if (beginning?.turn === entered) return beginning.begun;
      if (callContext.turn?.turn === entered) return undefined;
      beginning = { turn: entered, begun: begin(entered, signal) };
      return beginning.begun;
    },
  };
}
