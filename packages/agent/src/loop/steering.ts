import type { Message, UserMessage } from '@kernel/protocol';

/** A queue of messages into a running run. One per run; every method may be called at any time, from anywhere. */
export interface Steering {
  /** Puts a message before the next model call. Calls of the turn that have not started are skipped, with results that say so. */
  steer(message: string | UserMessage): void;
  /** Puts a message after the answer: the run goes on with it instead of ending. */
  followUp(message: string | UserMessage): void;
  /** Ends the run after what is running now, with reason `aborted` and a sound history. An `AbortSignal` is the hard way. */
  stop(): void;
  /** What waits, in order. */
  readonly pending: {
    readonly steer: readonly Message[];
    readonly followUp: readonly Message[];
    readonly isStopping: boolean;
  };
  /** Takes what waits out of a queue. The run calls it. */
  take(queue: 'steer' | 'followUp'): readonly Message[];
}

/** Makes the steering queue of one run: `run({ steering })`. */
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
