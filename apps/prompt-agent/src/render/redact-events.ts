import type { AgentEvent } from '@kernel/protocol';
import { createRedactor, type Redactor } from './redact.ts';

/** Replaces a secret in the pieces of text of a run, also where it is cut between two events. What was held back comes before the next whole message. */
export async function* redactEvents(
  events: AsyncIterable<AgentEvent>,
  secret: string | undefined,
): AsyncGenerator<AgentEvent> {
  let text = createRedactor(secret);
  let reasoning = createRedactor(secret);
  const calls = new Map<number, Redactor>();
  for await (const event of events) {
    if (event.type === 'text-delta') yield { ...event, text: text.push(event.text) };
    else if (event.type === 'reasoning-delta') yield { ...event, text: reasoning.push(event.text) };
    else if (event.type === 'tool-call-delta') {
      const redactor = calls.get(event.index) ?? createRedactor(secret);
      calls.set(event.index, redactor);
      yield { ...event, arguments: redactor.push(event.arguments) };
    } else {
      if (event.type === 'message-end' || event.type === 'run-end') {
        const rest = text.end();
        if (rest !== '') yield { type: 'text-delta', text: rest };
        text = createRedactor(secret);
        reasoning = createRedactor(secret);
        calls.clear();
      }
      yield event;
    }
  }
}
