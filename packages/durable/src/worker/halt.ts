/**
 * Why an attempt at a run goes no further: its lease is lost, its journal belongs to other code, its journal cannot be written, its worker has aborted it
 * to drain, something waits, or its worker drains and lets what is in flight end.
 */
export type HaltCause = 'lost' | 'blocked' | 'unwritten' | 'drained' | 'waiting' | 'draining';

const RANK: readonly HaltCause[] = ['lost', 'blocked', 'unwritten', 'drained', 'waiting', 'draining'];

/** The state of an attempt. */
export interface Halt {
  /** Why it goes no further; undefined while it does. */
  cause(): HaltCause | undefined;
  /** What to say about it. */
  reason(): string;
  /** Lets it go no further. Of several causes the gravest counts. Returns the error to throw. */
  stop(cause: HaltCause, reason?: string): Error;
}

/** Creates the state of an attempt that goes on. */
export function createHalt(): Halt {
  let cause: HaltCause | undefined;
  let reason = '';
  return {
    cause: () => cause,
    reason: () => reason,
    stop(next, why = '') {
      if (cause === undefined || RANK.indexOf(next) < RANK.indexOf(cause)) {
        cause = next;
        reason = why;
      }
      return new Error(`The attempt at the run has stopped: ${cause}.`);
    },
  };
}
