import { errorMessage } from '@kernel/internal';
import { type JsonObject, KernelError, type MessageEnd, type RunEnd, runEndOf, textOf } from '@kernel/protocol';

/** How a run ended: a `run-end` without its totals. */
export type RunEnding = RunEnd extends infer E
  ? E extends RunEnd
    ? Omit<E, 'type' | 'turns' | 'messages' | 'usage'>
    : never
  : never;

/** How a run ended that has an answer of the model. */
export type RunAnswer = RunEnding & { readonly reason: 'done' };

/** The abort reason of the time limit. */
export const TIME_LIMIT = new KernelError('LIMIT_REACHED', 'The run reached its time limit.');

// Symbol.for: a hook from another installed copy of this package can end a run too.
const ANSWER = Symbol.for('@kernel/agent/handled');

/** Creates the error by which a hook ends the run with reason `handled` and this answer. */
export function hookStop(answer: string): Error {
  return Object.assign(new Error('A hook ended the run.'), { [ANSWER]: answer });
}

/** Returns the answer of a hook that ended the run, if `error` was made by `hookStop`. Never throws, whatever the error is. */
export function hookStopAnswer(error: unknown): string | undefined {
  try {
    if (typeof error !== 'object' || error === null || !(ANSWER in error)) return undefined;
    return String(error[ANSWER]);
  } catch {
    return undefined; // a proxy that throws, or an answer that is not a string
  }
}

const PARTS_BESIDE_TEXT: ReadonlySet<string> = new Set(
  'opaque server-tool-call server-tool-result image audio file'.split(' '),
);

/** How a run ends with a reply without calls. An empty reply is a failure, never an empty answer; one of media or of the vendor's own parts alone is not empty. */
export function endingOfReply(
  { message: reply, finishReason }: Pick<MessageEnd, 'message' | 'finishReason'>,
  provider: string,
): RunEnding {
  const answer = textOf(reply);
  const reason = runEndOf(finishReason);
  if (reason !== 'done') return { reason, ...(answer === '' ? {} : { answer }) };
  if (answer !== '' || reply.content.some((part) => PARTS_BESIDE_TEXT.has(part.type))) return { reason, answer };
  const hint = 'Ask again, or check the model and its options.';
  const message = `The provider "${provider}" sent a reply with neither text nor calls.`;
  return { reason: 'error', error: new KernelError('PROVIDER_PROTOCOL', message, { hint, retryable: true }) };
}

/** How a run ends with a thrown error: an abort, the time limit, a hook's answer, or a failure of the provider or the toolset. */
export function endingOfError(error: unknown, signal: AbortSignal): RunEnding {
  if (signal.aborted) return endingOfAbort(signal);
  const answer = hookStopAnswer(error);
  if (answer !== undefined) return { reason: 'handled', answer };
  if (KernelError.is(error)) return { reason: 'error', error };
  const message = `A part of the run failed: ${errorMessage(error)}`;
  return { reason: 'error', error: new KernelError('PROVIDER_PROTOCOL', message, { cause: error }) };
}

/** How a run ends with an abort: by the time limit or by the caller. */
export function endingOfAbort(signal: AbortSignal): RunEnding {
  return signal.reason === TIME_LIMIT ? { reason: 'limit', limit: 'time' } : { reason: 'aborted' };
}

/**
 * How a run ends after its closing turn, which it got because of `closing`: with that reason, and the answer of the turn. A model that answered
 * (`wasAnswered`) with what does not fit the schema is a failure.
 */
export function endingOfClosingTurn(closing: RunEnding, ending: RunEnding, wasAnswered: boolean): RunEnding {
  if (wasAnswered && ending.reason === 'error') return ending;
  const answer = 'answer' in ending ? (ending.answer ?? '') : '';
  return { ...closing, ...(answer === '' ? {} : { answer }) };
}

/** The error of `onLimit: 'throw'`, with the `run-end` as its data. */
export function limitError(end: RunEnd & { readonly reason: 'limit' }): KernelError {
  return new KernelError('LIMIT_REACHED', `The run reached its ${end.limit} limit after ${end.turns} turns.`, {
    hint: 'Raise the limit, or continue from data.messages.',
    // A run-end of this reason is JSON; its interface lacks the index signature that says so.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    data: { ...end } as unknown as JsonObject,
  });
}

/** The pauses of a run: a vendor that stops in the middle of its own tools continues when it gets its reply back. */
export interface Pauses {
  /** The text of the replies that paused, one right after the other. */
  text: string;
  /** The turn of the last of them. */
  last: number;
  /** How many they are. */
  inARow: number;
  /** How many of the last of them had no content. */
  emptyInARow: number;
}

/** More than any search needs. In a run without a limit of turns, nothing else would stop a vendor that always pauses. */
const MAX_PAUSES = 50;
/** After a pause without content, the next request is the same as before. */
const MAX_EMPTY_PAUSES = 3;

/** Whether the reply before a turn paused: then nothing may be added to the history between them. */
export function isPaused({ inARow, last }: Pauses, turn: number): boolean {
  return inARow > 0 && last === turn - 1;
}

/** Records the reply of a turn and returns whether it paused. Throws `PROVIDER_PROTOCOL` for too many pauses in a row. */
export function recordPause(
  pauses: Pauses,
  { finishReason, message }: Pick<MessageEnd, 'message' | 'finishReason'>,
  turn: number,
): boolean {
  if (pauses.last !== turn - 1) Object.assign(pauses, { text: '', inARow: 0, emptyInARow: 0 });
  if (finishReason !== 'paused') return false;
  pauses.inARow += 1;
  pauses.emptyInARow = message.content.length === 0 ? pauses.emptyInARow + 1 : 0;
  if (pauses.emptyInARow === MAX_EMPTY_PAUSES) {
    const hint = 'Run it again, or remove the server tool that pauses.';
    throw pausedError(MAX_EMPTY_PAUSES, 'any content', { hint, retryable: true });
  }
  if (pauses.inARow > MAX_PAUSES)
    throw pausedError(MAX_PAUSES, 'an answer', {
      hint: 'Limit the uses of its server tools, for example with webSearch({ maxUses: 5 }).',
    });
  pauses.last = turn;
  pauses.text += textOf(message);
  return true;
}

function pausedError(times: number, without: string, options: { hint: string; retryable?: boolean }): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `The vendor paused ${times} times in a row without ${without}.`, options);
}

/** Puts the text of the pauses in front of the answer of the turn after them. */
export function withPausedText({ text }: Pauses, ending: RunEnding): RunEnding {
  return text === '' || ending.reason !== 'done' ? ending : { ...ending, answer: text + ending.answer };
}
