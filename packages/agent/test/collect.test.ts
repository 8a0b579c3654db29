import type { ProviderRequest, ProviderWarning } from '@kernel/protocol';
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

test('a run that was read in part is collected to its end', async () => {
  verifies('agent.loop.result');
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'done' }]);
  const events = run({ provider, model, messages: [user('Go')], tools: mockToolset([mockTool('a', 'x')]) });
  expect((await events.next()).value).toMatchObject({ type: 'turn-start' });
  expect(await collect(events)).toMatchObject({
    reason: 'done',
    answer: 'done',
    toolCalls: [{ result: { forLLM: 'x' } }],
  });
});

test('what cannot be collected is thrown, and ends the run', async () => {
  verifies('agent.loop.result');
  const warning: Record<string, unknown> = { kind: 'option-ignored', message: 'x' };
  warning['itself'] = warning;
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'done' }]);
  const withWarning = {
    ...provider,
    async *stream(request: ProviderRequest) {
      for await (const event of provider.stream(request))
        yield event.type === 'message-end' ? { ...event, warnings: [warning as unknown as ProviderWarning] } : event;
    },
  };
  const tools = mockToolset([mockTool('a', 'x')]);
  const collecting = collect(run({ provider: withWarning, model, messages: [user('Go')], tools }));
  await expect(collecting).rejects.toThrow(/circular/);
  expect(provider.requests).toHaveLength(1);
});
