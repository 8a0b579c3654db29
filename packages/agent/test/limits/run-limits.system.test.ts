import { mockTool, mockToolset, scriptedProvider } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

test('the time limit stops a hanging tool, and keeps the history whole and the text so far', async () => {
  const provider = scriptedProvider([{ text: 'So far.', calls: [{ name: 'slow' }] }]);
  const tools = mockToolset([mockTool('slow', { hangs: true })]);
  const result = await collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits: { timeMs: 20 } }));
  expect(result).toMatchObject({ reason: 'limit', limit: 'time', answer: 'So far.' });
  expectSound(result.messages);
});

test.each([Infinity, 2 ** 31])(
  'a time limit of %d ms, which no timer can measure, does not end the run',
  async (timeMs) => {
    const provider = scriptedProvider([{ text: 'ok', delayMs: 20 }]);
    const result = await collect(run({ provider, model: 'm', messages: [user('Go')], limits: { timeMs } }));
    expect(result).toMatchObject({ reason: 'done', answer: 'ok' });
  },
);
