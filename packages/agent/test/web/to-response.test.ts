import { type AgentEvent, KernelError, type Provider } from '@kernel/protocol';
import { mockTool, mockToolset, verifies } from '@kernel/testing';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { withoutTimers } from '../../../../test/setup/without-timers.ts';
import { createMemorySession, run, runSession, runTeam, start as startRun, tapEvents } from '../../src/index.ts';
import { traceRun } from '../../src/wrappers/otel.ts';
import {
  clientEvents,
  toAgUiResponse,
  toResponse,
  toTextResponse,
  toUiMessageStreamResponse,
} from '../../src/web/index.ts';
import { user } from '../support.ts';
import { listOf, runOf, start } from './runs.ts';

const decoder = new TextDecoder();
const readerOf = (response: Response): ReadableStreamDefaultReader<Uint8Array> => {
  const reader = response.body?.getReader();
  if (reader === undefined) throw new Error('The response has no body.');
  return reader;
};
const next = async (reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> =>
  decoder.decode((await reader.read()).value);
const dataOf = (text: string): unknown[] =>
  text.split('\n\n').flatMap((frame) => {
    const data = /^data: ([^\n]*)$/m.exec(frame)?.[1];
    return data === undefined ? [] : [JSON.parse(data) as unknown];
  });

/** A provider that says one piece and then waits for the abort. */
function hanging(): Provider & { readonly signals: AbortSignal[] } {
  const signals: AbortSignal[] = [];
  return {
    name: 'hanging',
    signals,
    async *stream({ signal }) {
      if (signal !== undefined) signals.push(signal);
      yield { type: 'text-delta', text: 'It' };
      await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    },
  };
}
const options = (provider: Provider) => ({ provider, model: 'm', messages: [user('Go')] });

afterEach(() => {
  vi.useRealTimers();
});

describe('toResponse', () => {
  test('sends what a client may see as server-sent events, and how the run ended', async () => {
    verifies('web.response');
    const response = toResponse(start([{ text: 'It is 3.', pieces: 2 }]));
    expect(Object.fromEntries(response.headers)).toEqual({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache, no-transform',
      'x-accel-buffering': 'no',
    });
    expect(dataOf(await response.text())).toEqual([
      { type: 'turn-start', turn: 1 },
      { type: 'text-delta', text: 'It i' },
      { type: 'text-delta', text: 's 3.' },
      { type: 'message-end', finishReason: 'stop', calls: [] },
      { type: 'turn-end', turn: 1 },
      { type: 'run-end', reason: 'done', answer: 'It is 3.' },
    ]);
  });

  test('text with line ends, separators and emoji stays in one frame', async () => {
    const text = 'a\n\nb\r\nc\u2028d\u0000 data: id: 7 🙂';
    const frames = await toResponse(start([{ text }])).text();
    expect(dataOf(frames)).toContainEqual({ type: 'text-delta', text });
  });

  test.each([
    [
      'a KernelError',
      new KernelError('PROVIDER_NETWORK', 'SECRET', { hint: 'SECRET', data: { SECRET: 1 } }),
      'PROVIDER_NETWORK',
    ],
    ['an Error', new Error('SECRET'), 'PROVIDER_PROTOCOL'],
    ['a text', 'SECRET', 'PROVIDER_PROTOCOL'],
  ])('%s that the events throw becomes one event with its code', async (_, error, code) => {
    verifies('web.response');
    async function* failing(): AsyncGenerator<AgentEvent> {
      yield { type: 'text-delta', text: 'It' };
      // oxlint-disable-next-line typescript/only-throw-error -- whatever a reader of a vendor throws
      throw error;
    }
    const text = await toResponse(failing()).text();
    expect(dataOf(text)).toEqual([
      { type: 'text-delta', text: 'It' },
      { type: 'error', code, message: expect.any(String) },
    ]);
    expect(text).not.toContain('SECRET');
    expect(dataOf(await toResponse(failing(), { show: ['errors'] }).text()).at(-1)).toMatchObject({
      message: 'SECRET',
    });
  });

  test.each([
    ['an unknown field', { show: ['secrets'] }],
    ['a show that is not an array', { show: 'arguments' }],
    ['an invalid interval', { heartbeatMs: -1 }],
    ['a point without a session', { resume: { lastEventId: '1' } }],
  ])('%s throws at once', (_, wrong) => {
    expect(() => toResponse(start([]), wrong as never)).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
  });
});

describe('a slow client', () => {
  test('is never read ahead of', async () => {
    verifies('web.backPressure');
    let made = 0;
    async function* many(): AsyncGenerator<AgentEvent> {
      for (; made < 1_000; made += 1) yield { type: 'text-delta', text: 'a' };
    }
    for (const toBody of [toResponse, toTextResponse, toUiMessageStreamResponse, toAgUiResponse]) {
      made = 0;
      const reader = readerOf(toBody(many()));
      await new Promise(setImmediate);
      expect(made).toBe(0);
      for (let count = 0; count < 10; count += 1) await reader.read();
      await new Promise(setImmediate);
      expect(made).toBeLessThanOrEqual(10);
      await reader.cancel();
    }
  });
});

describe('a client that disconnects', () => {
  const runs: readonly (readonly [string, (provider: Provider) => AsyncIterable<AgentEvent>])[] = [
    ['a run', (provider) => run(options(provider))],
    ['a run in a session', (provider) => runSession({ ...options(provider), session: createMemorySession() })],
    [
      'a team',
      (provider) =>
        runTeam({
          members: new Map([['one', { description: '', run: { provider, model: 'm' } }]]),
          first: 'one',
          messages: [user('Go')],
        }),
    ],
    ['a traced run', (provider) => traceRun(run(options(provider)), { name: 'a' })],
    ['a run with taps', (provider) => tapEvents(run(options(provider)), [() => {}])],
  ];
  const responses = [toResponse, toTextResponse, toUiMessageStreamResponse, toAgUiResponse];
  test.each(runs.flatMap(([name, make]) => responses.map((respond) => [name, respond.name, make, respond] as const)))(
    'ends %s in the middle of a reply, through %s, at once',
    async (_, __, make, respond) => {
      verifies('web.disconnect');
      const provider = hanging();
      const reader = readerOf(respond(make(provider)));
      while (!(await next(reader)).includes('It'));
      const reading = reader.read();
      await new Promise(setImmediate); // until the run itself is asked for its next event
      await withoutTimers(
        () => void reader.cancel(),
        async () => {
          while (provider.signals[0]?.aborted !== true) await new Promise((resolve) => setImmediate(resolve));
        },
      );
      expect(await reading).toMatchObject({ done: true });
    },
  );

  test('ends the run when the signal of its request aborts', async () => {
    verifies('web.disconnect');
    const provider = hanging();
    const controller = new AbortController();
    const reader = readerOf(toResponse(run(options(provider)), { signal: controller.signal }));
    while (!(await next(reader)).includes('It'));
    const reading = reader.read();
    await new Promise(setImmediate);
    controller.abort();
    expect((await reading).done).toBe(true);
    await vi.waitFor(() => expect(provider.signals[0]?.aborted).toBe(true), 60_000);
  });

  test('before the first event starts no run', async () => {
    const provider = hanging();
    const reader = readerOf(toResponse(run(options(provider))));
    await reader.cancel();
    expect(provider.signals).toEqual([]);
  });

  test('leaves a run of start() that has other readers', async () => {
    const running = startRun({ ...options(hanging()), tools: mockToolset([mockTool('a', 'x')]) });
    const reader = readerOf(toResponse(running.events));
    while (!(await next(reader)).includes('It'));
    await reader.cancel();
    running.abort();
    expect((await running.result).reason).toBe('aborted');
  });

  test('a late failure of the events is not unhandled', async () => {
    const { promise, reject } = Promise.withResolvers<never>();
    async function* failing(): AsyncGenerator<AgentEvent> {
      yield { type: 'text-delta', text: 'It' };
      await promise;
    }
    const reader = readerOf(toResponse(failing()));
    await reader.read();
    const reading = reader.read();
    await new Promise(setImmediate);
    const cancelled = reader.cancel();
    reject(new Error('late'));
    await cancelled.catch(() => {});
    expect((await reading).done).toBe(true);
  });
});

describe('the heartbeat', () => {
  test('is a comment every 15 seconds while nothing else is sent', async () => {
    verifies('web.heartbeat');
    vi.useFakeTimers();
    const { promise, resolve } = Promise.withResolvers<void>();
    async function* slow(): AsyncGenerator<AgentEvent> {
      await promise;
      yield { type: 'text-delta', text: 'It' };
    }
    const reader = readerOf(toResponse(slow()));
    for (let beat = 0; beat < 3; beat += 1) {
      const reading = next(reader);
      await vi.advanceTimersByTimeAsync(14_999);
      expect(vi.getTimerCount()).toBe(1);
      await vi.advanceTimersByTimeAsync(1);
      expect(await reading).toBe(': waiting\n\n');
      expect(vi.getTimerCount()).toBe(0);
    }
    const reading = next(reader);
    resolve();
    expect(await reading).toContain('"It"');
    expect(vi.getTimerCount()).toBe(0);
    expect((await reader.read()).done).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  test('is cleared when the client leaves, and never set with 0', async () => {
    verifies('web.heartbeat');
    vi.useFakeTimers();
    const reader = readerOf(toResponse(run(options(hanging()))));
    for (let count = 0; count < 2; count += 1) await reader.read();
    const reading = reader.read();
    await vi.advanceTimersByTimeAsync(100);
    expect(vi.getTimerCount()).toBe(1);
    await reader.cancel();
    await reading;
    await vi.advanceTimersByTimeAsync(0);
    expect(vi.getTimerCount()).toBe(0);
    const silent = readerOf(toResponse(run(options(hanging())), { heartbeatMs: 0 }));
    for (let count = 0; count < 2; count += 1) await silent.read();
    const waiting = silent.read();
    await vi.advanceTimersByTimeAsync(100_000);
    expect(vi.getTimerCount()).toBe(0);
    await silent.cancel();
    await waiting;
  });

  test('leaves no timer behind in a whole run', async () => {
    vi.useFakeTimers();
    const text = await toResponse(start([{ text: 'It is 3.', pieces: 3 }])).text();
    expect(text).toContain('run-end');
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe('toTextResponse', () => {
  const readText = async (response: Response): Promise<{ text: string; error: unknown }> => {
    let text = '';
    const reader = readerOf(response);
    try {
      for (;;) {
        const { done, value } = await reader.read();
        if (done) return { text, error: undefined };
        text += decoder.decode(value);
      }
    } catch (error) {
      return { text, error };
    }
  };
  test('has the text of the run, and nothing else', async () => {
    verifies('web.text');
    const response = toTextResponse(start([{ text: 'It is 3.', pieces: 3, reasoning: 'hm' }]));
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(await response.text()).toBe('It is 3.');
  });

  test('has nothing of sub-agents', async () => {
    expect((await readText(toTextResponse(runOf('sub-agents')))).text).toBe('Done.');
  });

  test.each([
    ['a provider error', '', 'PROVIDER_HTTP'],
    ['events that fail', 'It', 'PROVIDER_NETWORK'],
    ['a withdrawn reply', 'It is 4', 'PROVIDER_PROTOCOL'],
  ])('of %s breaks off with the error', async (name, text, code) => {
    verifies('web.text');
    const read = await readText(toTextResponse(runOf(name)));
    expect(read.text).toBe(text);
    expect(read.error).toMatchObject({ code });
  });

  test('ends normally for a cut reply', async () => {
    expect(await readText(toTextResponse(runOf('a cut reply')))).toEqual({ text: 'It is', error: undefined });
  });
});

describe('clientEvents', () => {
  test('are the same values without a response', async () => {
    const events = await listOf(clientEvents(start([{ text: 'Hi' }]), { show: ['usage'] }));
    expect(events.at(-1)).toEqual({
      type: 'run-end',
      reason: 'done',
      answer: 'Hi',
      usage: { inputTokens: 0, outputTokens: 0 },
    });
  });
});
