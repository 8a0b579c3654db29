import type { CallContext, TurnContext } from '@kernel/protocol';

/** What every call of a run gets in its context: from the options of the run, and the turn in which the call was made. */
export interface RunCallContext extends Pick<CallContext, 'conversation' | 'context'> {
  /** The turn that has begun last. */
  turn: TurnContext | undefined;
}

/** Makes a turn the one in which calls are made. */
export function nextTurn(callContext: RunCallContext, turn: number, signal: AbortSignal): TurnContext {
  callContext.turn = { conversation: callContext.conversation, context: callContext.context, turn, signal };
  return callContext.turn;
}
