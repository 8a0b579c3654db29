import { getEventListeners } from 'node:events';
import type { Provider, RunEnd, Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { run } from '../../src/index.ts';
import { endOf, expectSound, readAll, user } from '../support.ts';

const model = 'm';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Aborts a run after 20 ms; resolves to its end, and to how long after the abort that came, in virtual time. */
async function abortRun(provider: Provider, tools: Toolset | undefined): Promise<{ end: RunEnd; tookMs: number }> {
  const stop = new AbortController();
  const reading = readAll(run({ provider, model, messages: [user('Go')], tools, signal: stop.signal }));
  await vi.advanceTimersByTimeAsync(20);
  const abortedMs = Date.now();
  stop.abort(new Error('stop'));
  const ended = reading.then((events) => ({ end: endOf(events), tookMs: Date.now() - abortedMs }));
  await vi.runAllTimersAsync();
  return ended;
}

const unresponsive: Provider = {
  name: 'unresponsive',
  stream: () => ({ [Symbol.asyncIterator]: () => ({ next: () => new Promise(() => {}) }) }),
};

describe('an abort', () => {
  test('keeps the text of the last reply as the answer so far', async () => {
    verifies('agent.loop.abort');
    const tools = mockToolset([mockTool('a', { hangs: true })]);
    const { end } = await abortRun(scriptedProvider([{ text: 'So far.', calls: [{ name: 'a' }] }]), tools);
    expect(end).toMatchObject({ reason: 'aborted', answer: 'So far.' });
  });

  test.each([
    ['a provider that stops', scriptedProvider([{ text: 'Hm', hang: true }]), undefined],
    ['a provider that ignores it', unresponsive, undefined],
    [
      'a tool that stops',
      scriptedProvider([{ calls: [{ name: 'a' }] }]),
      mockToolset([mockTool('a', { hangs: 'until-abort' })]),
    ],
    [
      'a tool that ignores it',
      scriptedProvider([{ calls: [{ name: 'a' }, { name: 'b' }] }]),
      mockToolset([mockTool('a', { hangs: true }), mockTool('b', 'x')]),
    ],
    [
      'a listFor that ignores it',
      scriptedProvider([]),
      { ...mockToolset([]), listFor: () => new Promise<never>(() => {}) },
    ],
  ] as [string, Provider, Toolset | undefined][])(
    'settles the run within 50 ms during %s, with a valid history',
    async (_name, provider, tools) => {
      verifies('agent.loop.abort', 'agent.loop.history.pairs');
      const { end, tookMs } = await abortRun(provider, tools);
      expect(end.reason).toBe('aborted');
      expect(tookMs).toBeLessThanOrEqual(50);
      expectSound(end.messages);
    },
  );

  test('reports which call was stopped and which may still be running', async () => {
    const tools = mockToolset([
      mockTool('unresponsive', { hangs: true }),
      mockTool(
        'responsive',
        (_call, { signal }) =>
          new Promise((resolve) =>
            signal.addEventListener('abort', () =>
              resolve({ forLLM: 'stopped in time', isError: true, outcome: 'cancelled' }),
            ),
          ),
      ),
    ]);
    const { end } = await abortRun(
      scriptedProvider([{ calls: [{ name: 'unresponsive' }, { name: 'responsive' }] }]),
      tools,
    );
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
    vi.useRealTimers();
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
  test('aborts the request and all handlers within 50 ms', async () => {
    verifies('agent.loop.abort');
    const tools = mockToolset([mockTool('a', { hangs: 'until-abort' }), mockTool('unresponsive', { hangs: true })]);
    const provider = scriptedProvider([{ calls: [{ name: 'a' }, { name: 'unresponsive' }] }]);
    const events = run({ provider, model, messages: [user('Go')], tools });
    while ((await events.next()).value?.type !== 'tool-start');
    await vi.advanceTimersByTimeAsync(5);
    const leftMs = Date.now();
    const left = events.return().then(() => Date.now() - leftMs);
    await vi.runAllTimersAsync();
    expect(await left).toBeLessThanOrEqual(50);
    expect(tools.contexts.every(({ signal }) => signal.aborted)).toBe(true);
  });

  test('before the first next() has sent nothing', async () => {
    const provider = scriptedProvider([{ text: 'ok' }]);
    const events = run({ provider, model, messages: [user('Go')] });
    await vi.advanceTimersByTimeAsync(5);
    expect(provider.requests).toHaveLength(0);
    await events.return();
  });
});
