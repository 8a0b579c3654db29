import { createRedactor, type Redactor, type StreamRedactor } from '@kernel/internal';
import type { AgentEvent } from '@kernel/protocol';

/** Redacts the events of one run, and holds back what may be the beginning of a secret. */
type EventRedactor = (event: AgentEvent) => readonly AgentEvent[];

/**
 * Redacts a secret, and keys of well-known vendors, in the text of a run's deltas and of the agents below it, even if it is split between two
 * events. Text that was held back precedes the next complete message, or is gone with a reply that was withdrawn.
 */
export async function* redactEvents(
  events: AsyncIterable<AgentEvent>,
  secret: string | undefined,
): AsyncGenerator<AgentEvent> {
  const redact = createEventRedactor(createRedactor([secret]));
  for await (const event of events) yield* redact(event);
}

function createEventRedactor(redactor: Redactor): EventRedactor {
  let text = redactor.stream();
  let reasoning = redactor.stream();
  const calls = new Map<number, StreamRedactor>();
  const agents = new Map<string, EventRedactor>();

  function startAgain(): void {
    text = redactor.stream();
    reasoning = redactor.stream();
    calls.clear();
  }

  function rest(): readonly AgentEvent[] {
    const thought = reasoning.end();
    const said = text.end();
    startAgain();
    return [
      ...(thought === '' ? [] : [{ type: 'reasoning-delta', text: thought } as const]),
      ...(said === '' ? [] : [{ type: 'text-delta', text: said } as const]),
    ];
  }

  return (event) => {
    switch (event.type) {
      case 'text-delta':
        return [{ ...event, text: text.push(event.text) }];
      case 'reasoning-delta':
        return [{ ...event, text: reasoning.push(event.text) }];
      case 'tool-call-delta': {
        const call = calls.get(event.index) ?? redactor.stream();
        calls.set(event.index, call);
        return [{ ...event, arguments: call.push(event.arguments) }];
      }
      case 'sub-agent-event': {
        const key = event.path.join('\n');
        const agent = agents.get(key) ?? createEventRedactor(redactor);
        agents.set(key, agent);
        if (event.event.type === 'run-end') agents.delete(key);
        return agent(event.event).map((inner) => ({ ...event, event: inner }));
      }
      case 'reply-withdrawn':
        startAgain();
        return [event];
      case 'message-end':
      case 'run-end':
        return [...rest(), event];
      default:
        return [event];
    }
  };
}
