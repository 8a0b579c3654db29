import { KernelError } from '@kernel/protocol';
import { RetryableError } from '@restatedev/restate-sdk';

/** The start of a blocked run's error message, by which the client recognizes it. */
export const BLOCKED = 'The run is blocked:';

const BLOCKED_MS = 60_000;

/** Whether an attempt at a run continues. Once it has halted, its loop gets no more outputs, since nothing it does with them may count. */
export interface Halt {
  /** Rejects when the attempt is blocked, and resolves when it is cancelled while waiting. */
  readonly ended: Promise<'cancelled'>;
  isOver(): boolean;
  check(this: void): void;
  block(reason: string): Error;
  cancel(): Promise<never>;
  never(): Promise<never>;
  /** Settles like `work`, or never once the attempt has halted. */
  guard<T>(work: Promise<T>): Promise<T>;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

export function createHalt(signal: AbortSignal): Halt {
  const { promise, resolve, reject } = Promise.withResolvers<'cancelled'>();
  promise.catch(() => undefined);
  let hasEnded = false;
  const isOver = (): boolean => hasEnded || signal.aborted;
  return {
    ended: promise,
    isOver,
    check() {
      if (isOver()) throw new KernelError('TOOL_CANCELLED', 'The attempt at the run is over.');
    },
    block(reason) {
      const error = new RetryableError(`${BLOCKED} ${reason}`, { retryAfter: BLOCKED_MS });
      hasEnded = true;
      reject(error);
      return error;
    },
    cancel() {
      hasEnded = true;
      resolve('cancelled');
      return never();
    },
    never,
    async guard(work) {
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
