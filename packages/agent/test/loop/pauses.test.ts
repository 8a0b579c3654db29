import { type Message, textOf } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, createSteering, run } from '../../src/index.ts';
import { expectSound, readAll, user } from '../support.ts';

const model = 'm';
const paused = { finishReason: 'paused' } as const;

test('a message steered in while the vendor pauses waits until the paused reply is finished', async () => {
  verifies('providers.serverTools.paused', 'agent.loop.steer');
  const steering = createSteering();
  const steer = (text: string) => () => {
    steering.steer('Shorter, please.');
    return { text, ...paused };
  };
  const provider = scriptedProvider([
    steer('Searching. '),
    { text: 'Still. ', ...paused },
    { text: 'Found.' },
    { text: 'Ok.' },
  ]);
  const events = await readAll(run({ provider, model, messages: [user('Go')], steering }));
  const sent = provider.streamRequests.map(({ messages }) => messages.map((message: Message) => textOf(message)));
  expect(sent).toEqual([
    ['Go'],
    ['Go', 'Searching. '],
    ['Go', 'Searching. ', 'Still. '],
    ['Go', 'Searching. ', 'Still. ', 'Found.', 'Shorter, please.'],
  ]);
  const kinds = events.flatMap(({ type }) => (type === 'message-end' || type === 'steer' ? [type] : []));
  expect(kinds).toEqual(['message-end', 'message-end', 'message-end', 'steer', 'message-end']);
  expect(events.at(-1)).toMatchObject({ type: 'run-end', reason: 'done', answer: 'Ok.' });
});

test('a message steered in while the vendor pauses skips the calls that the finished reply makes', async () => {
  verifies('providers.serverTools.paused');
  const steering = createSteering();
  const tools = mockToolset([mockTool('save', 'saved')]);
  const provider = scriptedProvider([
    () => {
      steering.steer('Do not save.');
      return { text: 'Searching.', ...paused };
    },
    { text: 'Found.', calls: [{ name: 'save' }] },
    { text: 'Ok.' },
  ]);
  const { messages, reason } = await collect(run({ provider, model, messages: [user('Go')], tools, steering }));
  expect(reason).toBe('done');
  expect(tools.calls).toEqual([]);
  expectSound(messages);
  expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant', 'tool', 'user', 'assistant']);
});

test('a vendor that pauses three times in a row without content ends the run, one that says something in between does not', async () => {
  verifies('providers.serverTools.paused');
  const stuck = scriptedProvider(Array.from({ length: 4 }, () => paused));
  const ended = await collect(run({ provider: stuck, model, messages: [user('Go')], limits: { turns: 0 } }));
  expect(ended).toMatchObject({
    reason: 'error',
    error: { code: 'PROVIDER_PROTOCOL', message: expect.stringContaining('3 times in a row without any content') },
  });
  expect(stuck.streamRequests).toHaveLength(3);
  const slow = scriptedProvider([paused, paused, { text: 'A', ...paused }, paused, paused, { text: 'B' }]);
  expect(await collect(run({ provider: slow, model, messages: [user('Go')] }))).toMatchObject({
    reason: 'done',
    answer: 'AB',
  });
});
