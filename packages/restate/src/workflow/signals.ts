import type { Message, Steering, UserMessage } from '@kernel/protocol';
import type { Signal } from '../run-state.ts';

type Queue = 'steer' | 'followUp';

export interface SignalSteering extends Steering {
  receive(signal: Signal): void;
  taken(): Readonly<Record<Queue, number>>;
  /** Removes the messages that a recorded step took. With undefined, for a step that failed, puts them back. */
  settle(taken: Readonly<Record<Queue, number>> | undefined): void;
}

export function createSignalSteering(): SignalSteering {
  const queues: Record<Queue, Message[]> = { steer: [], followUp: [] };
  const taken: Record<Queue, number> = { steer: 0, followUp: 0 };
  let isStopping = false;
  const add = (queue: Queue, message: string | UserMessage): void => {
    queues[queue].push(typeof message === 'string' ? { role: 'user', content: message } : message);
  };
  const waiting = (queue: Queue): readonly Message[] => queues[queue].slice(taken[queue]);
  const stop = (): void => {
    isStopping = true;
  };

  return {
    steer: (message) => add('steer', message),
    followUp: (message) => add('followUp', message),
    stop,
    get pending() {
      return { steer: waiting('steer'), followUp: waiting('followUp'), isStopping };
    },
    take(queue) {
      const messages = waiting(queue);
      taken[queue] += messages.length;
      return messages;
    },
    receive(signal) {
      if (signal.kind === 'stop') stop();
      else if (signal.kind === 'steer' || signal.kind === 'followUp') add(signal.kind, signal.message);
    },
    taken: () => ({ ...taken }),
    settle(recorded) {
      for (const queue of ['steer', 'followUp'] as const) {
        if (recorded !== undefined) queues[queue].splice(0, recorded[queue]);
        taken[queue] = 0;
      }
    },
  };
}
