import { type JsonObject, KernelError, type Message, type RunEnd, type RunTotals, textOf } from '@kernel/protocol';
import { handledAnswer } from './hook-stop.ts';
import type { ModelReply } from './model-turn.ts';

/** How a run ended, before its totals are added. */
export type Ending = RunEnd extends infer E ? (E extends RunEnd ? Omit<E, keyof RunTotals> : never) : never;

/** The reason of an abort by the wall-time limit. */
export const TIME_LIMIT = new KernelError('LIMIT_REACHED', 'The run reached its limit of time.');

/** The end that a reply without calls means. A reply with nothing in it is a failure, never an empty answer. */
export function endOfReply(reply: ModelReply, provider: string): Ending {
  const answer = textOf(reply.message);
  const partial = answer === '' ? {} : { answer };
  switch (reply.finishReason) {
    case 'length':
      return { reason: 'length', ...partial };
    case 'filter':
    case 'refusal':
      return { reason: 'filtered', ...partial };
    case 'stop':
    case 'tool-calls':
    case 'other':
      if (answer !== '') return { reason: 'done', answer };
      return {
        reason: 'error',
        error: new KernelError(
          'PROVIDER_PROTOCOL',
          `The provider "${provider}" sent a reply with no text and no call.`,
          {
            hint: 'Ask again, or look at the model and its options.',
            retryable: true,
          },
        ),
      };
  }
}

/** The end that a thrown error means: an abort, the time limit, or a failure of the provider or the toolset. */
export function endOfError(error: unknown, signal: AbortSignal): Ending {
  if (signal.aborted) return endOfAbort(signal);
  const answer = handledAnswer(error);
  if (answer !== undefined) return { reason: 'handled', answer };
  if (KernelError.is(error)) return { reason: 'error', error };
  const why = error instanceof Error ? error.message : String(error);
  return {
    reason: 'error',
    error: new KernelError('PROVIDER_PROTOCOL', `A part of the run failed: ${why}`, { cause: error }),
  };
}

/** The end that an abort means: the time limit's own, or the caller's. */
export function endOfAbort(signal: AbortSignal): Ending {
  return signal.reason === TIME_LIMIT ? { reason: 'limit', limit: 'time' } : { reason: 'aborted' };
}

/** The text of the last reply among the messages that a run has added: the answer so far, where there is one. */
export function answerSoFar(added: readonly Message[]): { answer?: string } {
  const last = added.findLast((message) => message.role === 'assistant');
  const answer = last === undefined ? '' : textOf(last);
  return answer === '' ? {} : { answer };
}

/** The error of `onLimit: 'throw'`, with the run's end as its data. */
export function limitError(end: RunEnd & { readonly reason: 'limit' }): KernelError {
  return new KernelError('LIMIT_REACHED', `The run reached its limit of ${end.limit} after ${end.turns} turns.`, {
    hint: 'Raise the limit, or go on from data.messages.',
    // A run-end of this reason is JSON; its interface lacks the index signature that says so.
    // eslint-disable-next-line typescript/no-unsafe-type-assertion
    data: { ...end } as unknown as JsonObject,
  });
}
