/**
 * Why an attempt at a run halts: its lease is lost, its journal belongs to other code, its journal cannot be written, its worker aborted it at the end of a
 * drain, a call waits, or its worker is draining and lets the steps in flight end.
 */
export type HaltCause = 'lost' | 'blocked' | 'write-failed' | 'drained' | 'waiting' | 'draining';

/** Gravest first. */
const RANK: readonly HaltCause[] = ['lost', 'blocked', 'write-failed', 'drained', 'waiting', 'draining'];

/** Whether an attempt at a run continues. */
export type Halt = ReturnType<typeof createHalt>;

export function createHalt() {
  let cause: HaltCause | undefined;
  let reason = '';
  return {
    cause: () => cause,
    reason: () => reason,
    /** Halts the attempt. Of several causes, the gravest counts. Returns the error to throw. */
    stop(next: HaltCause, why = ''): Error {
      if (cause === undefined || RANK.indexOf(next) < RANK.indexOf(cause)) {
        cause = next;
        reason = why;
      }
      return new Error(`The attempt at the run has stopped: ${cause}.`);
    },
  };
}
