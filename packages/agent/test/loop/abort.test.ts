import { getEventListeners } from 'node:events';
import type { Provider, RunEnd, Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { run } from '../../src/index.ts';
import { endOf, expectSound, readAll, user } from '../support.ts';

const model = 'm';
const pauseMs = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

async function abortAfter(
  provider: Provider,
  tools: Toolset | undefined,
  ms = 20,
): Promise<{ end: RunEnd; tookMs: number }> {
  const stop = new AbortController();
  const reading = readAll(run({ provider, model, messages: [user('Go')], tools, signal: stop.signal }));
  await pauseMs(ms);
  const startedMs = performance.now();
  stop.abort(new Error('stop'));
  const end = endOf(await reading);
  return { end, tookMs: performance.now() - startedMs };
}

const deaf: Provider = {
  name: 'deaf',
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
};

describe('an abort', () => {
  test.each([
    ['a provider that heeds it', scriptedProvider([{ text: 'Hm', hang: true }]), undefined],
    ['a provider that ignores it', deaf, undefined],
    [
      'a tool that heeds it',
      scriptedProvider([{ calls: [{ name: 'a' }] }]),
      mockToolset([mockTool('a', { hangs: 'until-abort' })]),
    ],
    [
      'a tool that ignores it',
      scriptedProvider([{ calls: [{ name: 'a' }, { name: 'b' }] }]),
      mockToolset([mockTool('a', { hangs: true }), mockTool('b', 'x')]),
    ],
    [
      'a beginTurn that ignores it',
      scriptedProvider([]),
      { ...mockToolset([]), beginTurn: () => new Promise<void>(() => {}) },
    ],
  ] as [string, Provider, Toolset | undefined][])(
    'settles the run within 50 ms during %s, with a valid history',
    { retry: 2 },
    async (_name, provider, tools) => {
      verifies('agent.loop.abort', 'agent.loop.history.pairs');
      const { end, tookMs } = await abortAfter(provider, tools);
      expect(end.reason).toBe('aborted');
      expect(tookMs).toBeLessThan(75);
      expectSound(end.messages);
    },
  );

  test('tells honestly which call was stopped and which may still be running', async () => {
    const tools = mockToolset([
      mockTool('deaf', { hangs: true }),
      mockTool(
        'heeds',
        (_call, { signal }) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () =>
              resolve({ forLLM: 'stopped in time', isError: true, outcome: 'cancelled' }),
            ),
          ),
      ),
    ]);
    const { end } = await abortAfter(scriptedProvider([{ calls: [{ name: 'deaf' }, { name: 'heeds' }] }]), tools);
    const texts = end.messages.filter((message) => message.role === 'tool').map((message) => message.content);
    expect(texts).toEqual([expect.stringContaining('may still be running'), 'stopped in time']);
  });

  test('before the start sends nothing', async () => {
    const provider = scriptedProvider([]);
    const events = await readAll(run({ provider, model, messages: [user('Go')], signal: AbortSignal.abort() }));
    expect(endOf(events).reason).toBe('aborted');
    expect(provider.requests).toHaveLength(0);
  });

  test('at any event gives one run-end and a history that can be sent again', async () => {
    const script = () =>
      scriptedProvider([{ text: 'Hm', calls: [{ name: 'a' }, { name: 'b' }] }, { chunks: ['a', 'b'] }]);
    const tools = () => mockToolset([mockTool('a', { delayMs: 1 }), mockTool('b', 'x')]);
    const total = (await readAll(run({ provider: script(), model, messages: [user('Go')], tools: tools() }))).length;
    for (let at = 0; at < total; at += 1) {
      const stop = new AbortController();
      const events = [];
      for await (const event of run({
        provider: script(),
        model,
        messages: [user('Go')],
        tools: tools(),
        signal: stop.signal,
      })) {
        events.push(event);
        if (events.length === at + 1) stop.abort();
      }
      expectSound(endOf(events).messages);
    }
  });

  test("leaves no listener on the caller's signal", async () => {
    verifies('architecture.clean');
    const { signal } = new AbortController();
    for (let index = 0; index < 20; index += 1) {
      const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'ok' }]);
      await readAll(run({ provider, model, messages: [user('Go')], tools: mockToolset([mockTool('a', 'x')]), signal }));
    }
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });
});

describe('leaving the loop', () => {
  test('aborts the request and all handlers within 50 ms', { retry: 2 }, async () => {
    verifies('agent.loop.abort');
    const tools = mockToolset([mockTool('a', { hangs: 'until-abort' }), mockTool('deaf', { hangs: true })]);
    const provider = scriptedProvider([{ calls: [{ name: 'a' }, { name: 'deaf' }] }]);
    let leftMs = 0;
    for await (const event of run({ provider, model, messages: [user('Go')], tools })) {
      if (event.type !== 'tool-start') continue;
      await pauseMs(5);
      leftMs = performance.now();
      break;
    }
    expect(performance.now() - leftMs).toBeLessThan(75);
    expect(tools.contexts.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('before the first next() has sent nothing', async () => {
    const provider = scriptedProvider([{ text: 'ok' }]);
    const events = run({ provider, model, messages: [user('Go')] });
    await pauseMs(5);
    expect(provider.requests).toHaveLength(0);
    await events.return();
  });
});
