import { createRedactor, type StreamRedactor } from '@kernel/internal';
import type { AgentEvent } from '@kernel/protocol';

/** Redacts a secret, and keys of well-known vendors, in the text of a run's deltas, even if it is split between two events. Text that was held back precedes the next complete message. */
export async function* redactEvents(
  events: AsyncIterable<AgentEvent>,
  secret: string | undefined,
): AsyncGenerator<AgentEvent> {
  const redactor = createRedactor([secret]);
  let text = redactor.stream();
  let reasoning = redactor.stream();
  const calls = new Map<number, StreamRedactor>();
  for await (const event of events) {
    if (event.type === 'text-delta') yield { ...event, text: text.push(event.text) };
    else if (event.type === 'reasoning-delta') yield { ...event, text: reasoning.push(event.text) };
    else if (event.type === 'tool-call-delta') {
      const call = calls.get(event.index) ?? redactor.stream();
      calls.set(event.index, call);
      yield { ...event, arguments: call.push(event.arguments) };
    } else {
      if (event.type === 'message-end' || event.type === 'run-end') {
        const thought = reasoning.end();
        if (thought !== '') yield { type: 'reasoning-delta', text: thought };
        const rest = text.end();
        if (rest !== '') yield { type: 'text-delta', text: rest };
        text = redactor.stream();
        reasoning = redactor.stream();
        calls.clear();
      }
      yield event;
    }
  }
}
