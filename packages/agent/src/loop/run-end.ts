import { untilAborted, errorMessage } from '@kernel/internal';
import {
  type JsonObject,
  KernelError,
  type Message,
  type MessageEnd,
  type RunEnd,
  type RunTotals,
  textOf,
} from '@kernel/protocol';
import { invalidOutput } from '../output/output-step.ts';
import { isWholeJson } from '../output/read-json.ts';
import type { TypedOutput } from '../output/typed-output.ts';
import { hookStopAnswer } from './hook-stop.ts';

/** How a run ended: a `run-end` without its totals. */
export type RunOutcome = RunEnd extends infer E ? (E extends RunEnd ? Omit<E, keyof RunTotals> : never) : never;

/** How a run ended that has an answer of the model. */
export type RunAnswer = RunOutcome & { readonly reason: 'done' };

/** How a run ended that has a text. */
export type AnsweredOutcome = Exclude<RunOutcome, { readonly reason: 'error' | 'approval' }> & {
  readonly answer: string;
};

/** The ends besides `done` whose text may be a typed answer. */
const EARLY_ENDS: ReadonlySet<string> = new Set(['limit', 'loop', 'length', 'handled']);

/** Whether a run ended early with a text that may be a typed answer. */
export function endedEarly(outcome: RunOutcome): outcome is AnsweredOutcome {
  return EARLY_ENDS.has(outcome.reason) && 'answer' in outcome && outcome.answer !== undefined;
}

/** How a run ends that was to end anyway, with the answer of its closing turn. An answer that does not fit stays a failure. */
export function closed(ending: RunOutcome, outcome: RunOutcome, isRejected: boolean): RunOutcome {
  if (isRejected && outcome.reason === 'error') return outcome;
  const answer = 'answer' in outcome ? (outcome.answer ?? '') : '';
  return { ...ending, ...(answer === '' ? {} : { answer }) };
}

/** Adds the typed answer to the outcome of a run that has one. Rejects with `signal.reason` on abort. */
export async function withOutput(
  outcome: AnsweredOutcome,
  output: TypedOutput,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const value = output.reader.valueOf(outcome.answer);
  const read = value instanceof Promise ? await untilAborted(value, signal) : value;
  if ('answer' in read) return { ...outcome, output: read.output };
  return { reason: 'error', error: invalidOutput(read.issues, outcome.answer) };
}

/** The abort reason of the time limit. */
export const TIME_LIMIT = new KernelError('LIMIT_REACHED', 'The run reached its time limit.');

const PARTS_BESIDE_TEXT: ReadonlySet<string> = new Set(
  'opaque server-tool-call server-tool-result image audio file'.split(' '),
);

/**
 * A reply whose answer was given by a call of the answer tool that must not run: with that answer as its text, if it is whole. The call itself was dropped and enters no
 * history.
 */
export function withDroppedAnswer<Reply extends Pick<MessageEnd, 'message' | 'finishReason' | 'droppedCalls'>>(
  reply: Reply,
  output: TypedOutput | undefined,
): Reply {
  const { droppedCalls, finishReason, message } = reply;
  if (output === undefined || finishReason === 'filter' || finishReason === 'refusal') return reply;
  const given = droppedCalls?.find((call) => output.isAnswer(call.name) && isWholeJson(call.arguments));
  if (given === undefined || isWholeJson(textOf(message))) return reply;
  return { ...reply, message: { ...message, content: [{ type: 'text', text: given.arguments }] } };
}

/** The outcome of a reply without calls. An empty reply is a failure, never an empty answer; one of media or of the vendor's own parts alone is not empty. */
export function outcomeOfReply(
  { message, finishReason }: Pick<MessageEnd, 'message' | 'finishReason'>,
  provider: string,
): RunOutcome {
  const answer = textOf(message);
  const partial = answer === '' ? {} : { answer };
  switch (finishReason) {
    case 'length':
      return { reason: 'length', ...partial };
    case 'filter':
    case 'refusal':
      return { reason: 'filtered', ...partial };
    case 'stop':
    case 'tool-calls':
    case 'paused':
    case 'other':
    default: // of a provider of one's own
      if (answer !== '' || message.content.some((part) => PARTS_BESIDE_TEXT.has(part.type)))
        return { reason: 'done', answer };
      return {
        reason: 'error',
        error: new KernelError(
          'PROVIDER_PROTOCOL',
          `The provider "${provider}" sent a reply with neither text nor calls.`,
          { hint: 'Ask again, or check the model and its options.', retryable: true },
        ),
      };
  }
}

/** The outcome of a thrown error: an abort, the time limit, a hook's answer, or a failure of the provider or the toolset. */
export function outcomeOfError(error: unknown, signal: AbortSignal): RunOutcome {
  if (signal.aborted) return outcomeOfAbort(signal);
  const answer = hookStopAnswer(error);
  if (answer !== undefined) return { reason: 'handled', answer };
  if (KernelError.is(error)) return { reason: 'error', error };
  const why = errorMessage(error);
  return {
    reason: 'error',
    error: new KernelError('PROVIDER_PROTOCOL', `A part of the run failed: ${why}`, { cause: error }),
  };
}

/** The outcome of an abort: by the time limit or by the caller. */
export function outcomeOfAbort(signal: AbortSignal): RunOutcome {
  return signal.reason === TIME_LIMIT ? { reason: 'limit', limit: 'time' } : { reason: 'aborted' };
}

/** The text of the last reply among the messages that a run has added, as the answer so far; empty if there is no such text. */
export function partialAnswer(added: readonly Message[]): { answer?: string } {
  const last = added.findLast((message) => message.role === 'assistant');
  const answer = last === undefined ? '' : textOf(last);
  return answer === '' ? {} : { answer };
}

/** The error of `onLimit: 'throw'`, with the `run-end` as its data. */
export function limitError(end: RunEnd & { readonly reason: 'limit' }): KernelError {
  return new KernelError('LIMIT_REACHED', `The run reached its ${end.limit} limit after ${end.turns} turns.`, {
    hint: 'Raise the limit, or continue from data.messages.',
    // A run-end of this reason is JSON; its interface lacks the index signature that says so.
    // eslint-disable-next-line typescript/no-unsafe-type-assertion
    data: { ...end } as unknown as JsonObject,
  });
}
