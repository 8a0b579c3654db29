import { KernelError } from '@kernel/protocol';
import { RetryableError } from '@restatedev/restate-sdk';

/** The start of a blocked run's error message, by which the client recognizes it. */
export const BLOCKED = 'The run is blocked:';

const BLOCKED_MS = 60_000;

/** Whether an attempt at a run continues. Once it has halted, its loop gets no more outputs, since nothing it does with them may count. */
export type Halt = ReturnType<typeof createHalt>;

function never(): Promise<never> {
  return new Promise(() => undefined);
}

export function createHalt(signal: AbortSignal) {
  const { promise, resolve, reject } = Promise.withResolvers<'cancelled'>();
  promise.catch(() => undefined);
  let hasEnded = false;
  const isOver = (): boolean => hasEnded || signal.aborted;
  return {
    /** Rejects when the attempt is blocked, and resolves when it is cancelled while waiting. */
    ended: promise,
    isOver,
    check: (): void => {
      if (isOver()) throw new KernelError('TOOL_CANCELLED', 'The attempt at the run is over.');
    },
    block(reason: string): Error {
      const error = new RetryableError(`${BLOCKED} ${reason}`, { retryAfter: BLOCKED_MS });
      hasEnded = true;
      reject(error);
      return error;
    },
    cancel(): Promise<never> {
      hasEnded = true;
      resolve('cancelled');
      return never();
    },
    never,
    /** Settles like `work`, or never once the attempt has halted. */
    async guard<T>(work: Promise<T>): Promise<T> {
      try {
        const value = await work;
        return isOver() ? await never() : value;
      } catch (error) {
        if (isOver()) await never();
        throw error;
      }
    },
  };
}
