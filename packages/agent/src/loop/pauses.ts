import { KernelError, type MessageEnd, textOf } from '@kernel/protocol';
import type { RunOutcome } from './run-end.ts';

/** Tracks the pauses of a run: a vendor that stops in the middle of its own tools continues when it gets its reply back. */
export interface Pauses {
  /** Whether the reply before a turn paused: then nothing may be added to the history between them. */
  isOpen(turn: number): boolean;
  /** Records the reply of a turn and returns whether it paused. Throws `PROVIDER_PROTOCOL` for too many pauses in a row. */
  record(reply: Pick<MessageEnd, 'message' | 'finishReason'>, turn: number): boolean;
  /** Returns the outcome of a run with the text before the pauses put in front of its answer. */
  join(outcome: RunOutcome, turn: number): RunOutcome;
}

/** More than any search needs. In a run without a limit of turns, nothing else would stop a vendor that always pauses. */
const MAX_PAUSES = 50;
/** After a pause without content, the next request is the same as before. */
const MAX_EMPTY_PAUSES = 3;

/** Creates the pauses of one run. */
export function createPauses(): Pauses {
  let text = '';
  let last = 0;
  let inARow = 0;
  let emptyInARow = 0;

  /** Forgets pauses that do not directly precede a turn. */
  function forgetEarlier(turn: number): void {
    if (last === turn - 1) return;
    text = '';
    inARow = 0;
    emptyInARow = 0;
  }

  return {
    isOpen: (turn) => inARow > 0 && last === turn - 1,
    record({ finishReason, message }, turn) {
      if (finishReason !== 'paused') return false;
      forgetEarlier(turn);
      inARow += 1;
      emptyInARow = message.content.length === 0 ? emptyInARow + 1 : 0;
      if (emptyInARow === MAX_EMPTY_PAUSES)
        throw new KernelError(
          'PROVIDER_PROTOCOL',
          `The vendor paused ${MAX_EMPTY_PAUSES} times in a row without any content.`,
          {
            hint: 'Run it again, or remove the server tool that pauses.',
            retryable: true,
          },
        );
      if (inARow > MAX_PAUSES)
        throw new KernelError(
          'PROVIDER_PROTOCOL',
          `The vendor paused ${MAX_PAUSES} times in a row without an answer.`,
          {
            hint: 'Limit the uses of its server tools, for example with webSearch({ maxUses: 5 }).',
          },
        );
      last = turn;
      text += textOf(message);
      return true;
    },
    join(outcome, turn) {
      forgetEarlier(turn);
      return text === '' || outcome.reason !== 'done' ? outcome : { ...outcome, answer: text + outcome.answer };
    },
  };
}
