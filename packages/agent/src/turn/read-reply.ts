import { onAbort } from '@kernel/internal';
import { KernelError, type MessageEnd, type ProviderEvent, type Emit } from '@kernel/protocol';

/**
 * Emits all events of a provider's stream except the `message-end`, which it resolves to. Rejects with the stream's error, with
 * `signal.reason` on abort, whatever the provider does then, and with `PROVIDER_PROTOCOL` for a stream without a `message-end`.
 */
export function readReply(
  events: AsyncIterable<ProviderEvent>,
  signal: AbortSignal,
  emit: Emit,
  provider: string,
): Promise<MessageEnd> {
  const iterator = events[Symbol.asyncIterator]();
  return new Promise((resolve, reject) => {
    let hasEnded = false;
    let removeAbortListener: (() => void) | undefined;
    const leave = (): void => {
      hasEnded = true;
      removeAbortListener?.();
      // Closes the request of a stream that is left early. Not awaited: a hung provider must not hold up the run.
      void close(iterator).catch(() => {});
    };
    const fail = (error: unknown): void => {
      if (hasEnded) return;
      leave();
      reject(error);
    };
    // One function for all events: with `await`, each event would cost three promises and three functions.
    const take = (next: IteratorResult<ProviderEvent>): void => {
      if (hasEnded) return;
      try {
        if (next.done === true) return fail(noMessageEnd(provider));
        const event = next.value;
        if (event.type === 'message-end') {
          leave();
          return resolve(event);
        }
        const lag = emit(event);
        if (lag === undefined) pull();
        else lag.then(pull, fail);
      } catch (error) {
        // This function runs as a promise callback: what it throws would be lost.
        fail(error);
      }
    };
    const pull = (): void => {
      if (hasEnded) return;
      try {
        iterator.next().then(take, fail);
      } catch (error) {
        fail(error);
      }
    };
    const abort = (): void => fail(signal.reason);
    if (signal.aborted) return abort();
    removeAbortListener = onAbort(signal, abort);
    pull();
  });
}

async function close(iterator: AsyncIterator<ProviderEvent>): Promise<void> {
  await iterator.return?.();
}

function noMessageEnd(provider: string): KernelError {
  return new KernelError('PROVIDER_PROTOCOL', `The provider "${provider}" ended its stream without a message-end.`);
}
