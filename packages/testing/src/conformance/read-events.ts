import assert from 'node:assert/strict';
import { type ProviderEvent, textOf, toolCallsOf } from '@kernel/protocol';
import type { NeutralReply } from '../fakes/scripted-reply.ts';

export async function all(events: AsyncIterable<ProviderEvent>): Promise<readonly ProviderEvent[]> {
  const seen: ProviderEvent[] = [];
  for await (const event of events) seen.push(event);
  return seen;
}

export async function outcome(
  events: AsyncIterable<ProviderEvent>,
): Promise<{ events: readonly ProviderEvent[]; error?: unknown }> {
  const seen: ProviderEvent[] = [];
  try {
    for await (const event of events) seen.push(event);
    return { events: seen };
  } catch (error) {
    return { events: seen, error };
  }
}

export function endOf(events: readonly ProviderEvent[]): Extract<ProviderEvent, { type: 'message-end' }> {
  const last = events.at(-1);
  assert.ok(last?.type === 'message-end', 'the last event is not a message-end');
  return last;
}

export function checkEnd(events: readonly ProviderEvent[], reply: NeutralReply): void {
  const end = endOf(events);
  assert.equal(textOf(end.message), reply.text ?? '');
  assert.equal(end.finishReason, reply.finishReason ?? (reply.calls === undefined ? 'stop' : 'tool-calls'));
  if (reply.usage !== undefined) assert.deepEqual(end.usage, reply.usage);
  const calls = toolCallsOf(end.message);
  assert.deepEqual(
    calls.map(({ arguments: text, id, name }) => ({ id, name, arguments: JSON.parse(text) as unknown })),
    (reply.calls ?? []).map(({ arguments: input, id, name }) => ({ id, name, arguments: input })),
  );
}
