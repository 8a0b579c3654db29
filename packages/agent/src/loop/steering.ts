import type { Message, UserMessage } from '@kernel/protocol';

/** Queues of messages for a run that is under way. Create one per run; every method may be called at any time. */
export interface Steering {
  /** Puts a message before the next model call. Calls of the turn that have not started are skipped, with results that say so. */
  steer(message: string | UserMessage): void;
  /** Puts a message after the answer: the run goes on with it instead of ending. */
  followUp(message: string | UserMessage): void;
  /** Ends the run once the calls in flight are done, with reason `aborted`. To interrupt them too, abort the run's `signal`. */
  stop(): void;
  /** The messages that wait, in order, and whether `stop` was called. */
  readonly pending: {
    readonly steer: readonly Message[];
    readonly followUp: readonly Message[];
    readonly isStopping: boolean;
  };
  /** Removes and returns the messages of a queue. Called by the run. */
  take(queue: 'steer' | 'followUp'): readonly Message[];
}

/** Creates the steering of one run: `run({ steering })`. */
export function createSteering(): Steering {
  const queues: Record<'steer' | 'followUp', Message[]> = { steer: [], followUp: [] };
  let isStopping = false;
  return {
    steer: (message) => void queues.steer.push(toMessage(message)),
    followUp: (message) => void queues.followUp.push(toMessage(message)),
    stop: () => {
      isStopping = true;
    },
    get pending() {
      return { steer: [...queues.steer], followUp: [...queues.followUp], isStopping };
    },
    take: (queue) => queues[queue].splice(0),
  };
}

function toMessage(message: string | UserMessage): Message {
  return typeof message === 'string' ? { role: 'user', content: message } : message;
}
