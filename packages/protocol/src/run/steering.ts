import type { Message, UserMessage } from '../message.ts';

/** Queues of messages for a run in progress. Create one per run; every method may be called at any time. */
export interface Steering {
  /** Adds a message before the next model call. Calls of the turn that have not started are skipped, with results that say so. */
  steer(message: string | UserMessage): void;
  /** Adds a message after the answer, so that the run continues instead of ending. */
  followUp(message: string | UserMessage): void;
  /** Ends the run once the calls in flight are done, with reason `aborted`. To interrupt them too, abort the run's `signal`. */
  stop(): void;
  /** What is queued, in order. */
  readonly pending: {
    /** The messages for before the next model call. */
    readonly steer: readonly Message[];
    /** The messages for after the answer. */
    readonly followUp: readonly Message[];
    /** Whether `stop` was called. */
    readonly isStopping: boolean;
  };
  /** Removes and returns the messages of a queue. Called by the run, within a step. */
  take(queue: 'steer' | 'followUp'): readonly Message[];
}
