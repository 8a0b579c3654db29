import { KernelError, type MessageEnd, textOf } from '@kernel/protocol';
import type { RunOutcome } from './run-end.ts';

/** The pauses of a run: a vendor that stops in the middle of its own tools goes on when it gets its reply back. */
export interface Pauses {
  /** Whether the reply of a turn paused. Throws `PROVIDER_PROTOCOL` for one pause too many in a row. */
  isPaused(reply: Pick<MessageEnd, 'message' | 'finishReason'>, turn: number): boolean;
  /** Returns an outcome whose answer begins with the text before the pauses. */
  join(outcome: RunOutcome, turn: number): RunOutcome;
}

/** More than any search takes; without a limit of turns, nothing else would end a vendor that always pauses. */
const MAX_PAUSES = 50;

/** Creates the pauses of one run. */
export function createPauses(): Pauses {
  let text = '';
  let last = 0;
  let inARow = 0;

  /** Forgets pauses that other replies have followed. */
  function follow(turn: number): void {
    if (last === turn - 1) return;
    text = '';
    inARow = 0;
  }

  return {
    isPaused({ finishReason, message }, turn) {
      if (finishReason !== 'paused') return false;
      follow(turn);
      inARow += 1;
      if (inARow > MAX_PAUSES)
        throw new KernelError(
          'PROVIDER_PROTOCOL',
          `The vendor paused ${MAX_PAUSES} times in a row without an answer.`,
          {
            hint: 'Give its tools fewer uses, such as webSearch({ maxUses: 5 }).',
          },
        );
      last = turn;
      text += textOf(message);
      return true;
    },
    join(outcome, turn) {
      follow(turn);
      return text === '' || outcome.reason !== 'done' ? outcome : { ...outcome, answer: text + outcome.answer };
    },
  };
}
