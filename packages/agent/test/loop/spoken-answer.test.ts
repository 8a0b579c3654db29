import type { AgentEvent, Provider } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { run } from '../../src/index.ts';
import { createClientView } from '../../src/web/client-view/client-view.ts';
import { user } from '../support.ts';

const speaking = (transcript?: string): Provider => ({
  name: 'speaking',
  async *stream() {
    const part = { type: 'audio', mimeType: 'audio/pcm', data: 'AAAA', ...(transcript && { transcript }) } as const;
    yield { type: 'audio-delta', data: 'AAAA', mimeType: 'audio/pcm' };
    if (transcript !== undefined) yield { type: 'text-delta', text: transcript };
    yield { type: 'message-end', message: { role: 'assistant', content: [part] }, finishReason: 'stop' };
  },
});

async function eventsOf(provider: Provider): Promise<readonly AgentEvent[]> {
  const events: AgentEvent[] = [];
  for await (const event of run({ provider, model: 'm', messages: [user('Say hello.')] })) events.push(event);
  return events;
}

test.each([['Hello.'], [undefined]])('a spoken reply is an answer; its words %j are the text', async (transcript) => {
  verifies('run.spokenAnswer');
  const events = await eventsOf(speaking(transcript));
  expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'done', answer: transcript ?? '' });
  const view = createClientView(new Set());
  const seen = events.flatMap((event) => view(event));
  expect(seen.filter(({ type }) => type === 'audio-delta')).toEqual([
    { type: 'audio-delta', data: 'AAAA', mimeType: 'audio/pcm' },
  ]);
  // The words once, although they are in a delta and in the message.
  expect(seen.filter(({ type }) => type === 'text-delta')).toHaveLength(transcript === undefined ? 0 : 1);
});
