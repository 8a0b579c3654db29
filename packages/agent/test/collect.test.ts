import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run } from '../src/index.ts';
import { user } from './support.ts';

const model = 'm';

test('collect resolves to answer, reason, turns, calls, messages and usage', async () => {
  verifies('agent.loop.result');
  const tools = mockToolset([mockTool('a', 'x')]);
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'done' }]);
  const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
  expect(result).toMatchObject({
    reason: 'done',
    answer: 'done',
    turns: 2,
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  expect(result.toolCalls).toEqual([
    { call: expect.objectContaining({ name: 'a' }), result: { forLLM: 'x' }, durationMs: expect.any(Number) },
  ]);
  expect(result.messages).toHaveLength(4);
});
