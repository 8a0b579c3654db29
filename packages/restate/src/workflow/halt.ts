import { KernelError } from '@kernel/protocol';
import { RetryableError } from '@restatedev/restate-sdk';

/** What the message of a blocked run begins with. */
export const BLOCKED = 'The run is blocked:';

/** How long a blocked run rests before it is tried again, in milliseconds. */
const BLOCKED_MS = 60_000;

/** Whether an attempt at a run goes on. Where it does not, its loop never gets an answer: what it makes of one would not count. */
export interface Halt {
  /** Rejects when the attempt is blocked, and resolves when it was cancelled while it waited. */
  readonly ended: Promise<'cancelled'>;
  /** Whether it goes on no more. */
  isOver(): boolean;
  /** Throws if it does not. */
  check(this: void): void;
  /** Ends it because its journal belongs to other code. Returns the error to throw. */
  block(reason: string): Error;
  /** Ends it because it was cancelled while it waited. Never settles. */
  cancel(): Promise<never>;
  /** Never settles. */
  never(): Promise<never>;
  /** Settles like `work` while the attempt goes on. */
  guard<T>(work: Promise<T>): Promise<T>;
}

function never(): Promise<never> {
  return new Promise(() => undefined);
}

/** Creates the state of an attempt, which ends with `signal`. */
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
