import { type AgentEvent, type Message, type RunEnd, toolCallsOf } from '@kernel/protocol';
import { expect } from 'vitest';

export const user = (content: string): Message => ({ role: 'user', content });

export async function readAll(events: AsyncIterable<AgentEvent>): Promise<AgentEvent[]> {
  const all: AgentEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

/** Every call id has exactly one result, right after its message, in call order. */
export function expectSound(messages: readonly Message[]): void {
  const ids = messages.flatMap(toolCallsOf).map((call) => call.id);
  expect(new Set(ids).size).toBe(ids.length);
  const answered = messages.flatMap((message) => (message.role === 'tool' ? [message.toolCallId] : []));
  expect(answered).toEqual(ids);
}

export function endOf(events: readonly AgentEvent[]): RunEnd {
  const ends = events.filter((event) => event.type === 'run-end');
  expect(ends).toHaveLength(1);
  expect(events.at(-1)).toBe(ends[0]);
  return ends[0] as RunEnd;
}
