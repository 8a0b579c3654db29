import type { Message } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, createSteering, run } from '../../src/index.ts';
import { user } from '../support.ts';

const HALF = 'half \ud83d';

const isSound = (messages: readonly Message[]): boolean => !/(?<!\\)\\ud[89a-f]/i.test(JSON.stringify(messages));

test('no message of a history has half a surrogate pair, wherever it came from', async () => {
  verifies('text.wellFormed');
  const tools = mockToolset([mockTool('a', HALF)]);
  const provider = scriptedProvider([
    {
      text: HALF,
      reasoning: HALF,
      calls: [{ name: 'a', id: '1', arguments: String.raw`{"x":"\ud83d","y":"\ud83d\ude00"}` }],
    },
    { text: 'done' },
  ]);
  const steering = createSteering();
  steering.steer(HALF);
  const stored: Message[] = [
    user(HALF),
    Object.freeze({ role: 'assistant', content: [{ type: 'text', text: HALF }] } as const),
    { role: 'user', content: [{ type: 'text', text: HALF }] },
  ];
  const result = await collect(run({ provider, model: 'm', system: HALF, messages: stored, tools, steering }));
  expect(result).toMatchObject({ reason: 'done' });
  expect(isSound(result.messages)).toBe(true);
  for (const { messages } of provider.streamRequests) expect(isSound(messages)).toBe(true);
  expect(result.messages).toContainEqual(expect.objectContaining({ role: 'tool', content: 'half \uFFFD' }));
  expect(JSON.stringify(result.messages)).toContain(String.raw`\\ud83d\\ude00`);
});

test('a sound message stays the same object from run to run, so that it is encoded once', async () => {
  const message = Object.freeze(user('a 😀'));
  const provider = scriptedProvider([{ text: 'one' }, { text: 'two' }]);
  const first = await collect(run({ provider, model: 'm', messages: [message] }));
  const second = await collect(run({ provider, model: 'm', messages: [...first.messages, user('again')] }));
  expect(second.messages.slice(0, 2)).toEqual(first.messages);
  for (const [index, each] of first.messages.entries()) expect(second.messages[index]).toBe(each);
  expect(first.messages[0]).toBe(message);
});
