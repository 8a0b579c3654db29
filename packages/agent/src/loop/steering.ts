import type { Message, Steering, UserMessage } from '@kernel/protocol';

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
