import { getEventListeners } from 'node:events';
import assert from 'node:assert/strict';
import { KernelError, type Provider, textOf } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProvider, type Retry, withRetry } from '../../src/index.ts';
import { all, chunk, endOf, errorOf, request, sse, withServer } from '../support.ts';

const OK = { chunks: [sse(chunk({ content: 'ok' }), chunk({}, 'stop'))] };
const busy = (data: Record<string, number> = {}): KernelError =>
  new KernelError('PROVIDER_HTTP', 'busy', { retryable: true, data: { status: 503, ...data } });

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] }));
afterEach(() => {
  assert.equal(vi.getTimerCount(), 0, 'timers left');
  vi.useRealTimers();
});

/** Waits that a provider which always fails makes its caller wait. */
async function waits(options: Parameters<typeof withRetry>[1], errors: readonly KernelError[]): Promise<number[]> {
  const seen: Retry[] = [];
  const provider = withRetry(scriptedProvider(errors.map((error) => ({ error }))), {
    ...options,
    onRetry: (retry) => seen.push(retry),
  });
  const failed = errorOf(provider.stream(request()));
  await vi.runAllTimersAsync();
  expect(await failed).toBe(errors.at(-1));
  return seen.map(({ waitMs }) => waitMs);
}

test('waits are 1 s, doubled each time up to 30 s', async () => {
  verifies('providers.retry.backoff');
  const errors = Array.from({ length: 8 }, () => busy());
  expect(await waits({ maxRetries: 7, jitter: false }, errors)).toEqual([
    1000, 2000, 4000, 8000, 16_000, 30_000, 30_000,
  ]);
});

test('initial wait, multiplier and longest wait are honoured when they are set', async () => {
  verifies('providers.retry.backoff');
  const errors = Array.from({ length: 5 }, () => busy());
  const options = { maxRetries: 4, jitter: false, initialBackoffMs: 10, multiplier: 3, maxBackoffMs: 200 };
  expect(await waits(options, errors)).toEqual([10, 30, 90, 200]);
});

test('a wait that no timer can hold is as long as one can be, never none at all', async () => {
  verifies('providers.retry.backoff', 'providers.clocks');
  const long = { jitter: false, initialBackoffMs: 2 ** 40, maxBackoffMs: Infinity };
  expect(await waits({ ...long, maxRetries: 1 }, [busy(), busy()])).toEqual([2_147_483_647]);
  expect(await waits({ ...long, maxRetries: 1, jitter: true, random: () => 1 }, [busy(), busy()])).toEqual([
    2_147_483_647,
  ]);
  expect(await waits({ maxRetries: 2, initialBackoffMs: 0, multiplier: Infinity }, [busy(), busy(), busy()])).toEqual([
    0, 0,
  ]);
  const last = new KernelError('PROVIDER_HTTP', 'bad', { data: { status: 400 } });
  expect(await waits({ maxRetries: Infinity, jitter: false }, [busy(), busy(), last])).toEqual([1000, 2000]);
});

test('jitter makes a wait up to a quarter shorter or longer', async () => {
  verifies('providers.retry.backoff');
  const one = [busy(), busy()];
  expect(await waits({ maxRetries: 1, random: () => 0 }, one)).toEqual([750]);
  expect(await waits({ maxRetries: 1, random: () => 1 }, one)).toEqual([1250]);
  const [drawn = 0] = await waits({ maxRetries: 1 }, one);
  expect(drawn).toBeGreaterThanOrEqual(750);
  expect(drawn).toBeLessThanOrEqual(1250);
});

test('maxRetries 0 is one attempt, and the default is three retries', async () => {
  verifies('providers.retry.backoff', 'providers.retry.policy');
  expect(await waits({ maxRetries: 0 }, [busy()])).toEqual([]);
  expect(await waits({ jitter: false }, [busy(), busy(), busy(), busy()])).toEqual([1000, 2000, 4000]);
});

test('a wait that the server asks for takes the place of the backoff, up to 60 s, without jitter', async () => {
  verifies('providers.retry.backoff');
  const asked = [0, 60_000, 60_001, -1].map((retryAfterMs) => busy({ retryAfterMs }));
  expect(await waits({ maxRetries: 4, random: () => 0.5 }, [...asked, busy()])).toEqual([0, 60_000, 4000, 8000]);
});

test.each([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:05 GMT' }, 5000],
  [{ 'retry-after-ms': '250', 'retry-after': '9' }, 250],
  [{ 'retry-after': '86400' }, 1000],
  [{ 'retry-after': 'soon' }, 1000],
])('over HTTP, the headers %j make the wait %d ms', async (headers, expected) => {
  verifies('providers.retry.backoff');
  vi.setSystemTime(Date.parse('2026-01-01T00:00:00Z'));
  await withServer([{ status: 429, headers, chunks: [] }, OK], async ({ provider, server }) => {
    const seen: number[] = [];
    const patient = withRetry(provider, {
      jitter: false,
      onRetry({ waitMs }) {
        seen.push(waitMs);
        queueMicrotask(() => void vi.advanceTimersByTimeAsync(waitMs));
      },
    });
    expect(textOf((await endOf(patient.stream(request()))).message)).toBe('ok');
    expect(seen).toEqual([expected]);
    expect(server.requests).toHaveLength(2);
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});

async function attemptsAt(status: number, headers: Record<string, string> = {}): Promise<number> {
  vi.useRealTimers();
  let count = 0;
  await withServer({ replies: () => ({ status, headers, chunks: [] }) }, async ({ provider, server }) => {
    await errorOf(withRetry(provider, { maxRetries: 2, initialBackoffMs: 0 }).stream(request()));
    count = server.requests.length;
  });
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
  return count;
}

test.each([408, 409, 429, 500, 502, 503, 529, 599])('status %d is tried again', async (status) => {
  verifies('providers.retry.policy');
  expect(await attemptsAt(status)).toBe(3);
});

test.each([400, 401, 403, 404, 410, 413, 422])('status %d is not tried again', async (status) => {
  verifies('providers.retry.policy');
  expect(await attemptsAt(status)).toBe(1);
});

test('a server that says x-should-retry is obeyed, whatever the status', async () => {
  verifies('providers.retry.policy');
  expect(await attemptsAt(503, { 'x-should-retry': 'false' })).toBe(1);
  expect(await attemptsAt(400, { 'x-should-retry': 'true' })).toBe(3);
});

test('a connection that is reset is tried again; createProvider alone never does', async () => {
  verifies('providers.retry.policy');
  vi.useRealTimers();
  const reset = { chunks: [], fault: { beforeHead: 'reset' as const } };
  await withServer([reset, OK], async ({ provider, server }) => {
    await endOf(withRetry(provider, { initialBackoffMs: 0 }).stream(request()));
    expect(server.requests).toHaveLength(2);
  });
  await withServer([{ status: 503, chunks: [] }, OK], async ({ provider, server }) => {
    expect(await errorOf(provider.stream(request()))).toMatchObject({ data: { status: 503 } });
    expect(server.requests).toHaveLength(1);
  });
  const refused = createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:9' });
  const seen: number[] = [];
  await errorOf(
    withRetry(refused, { maxRetries: 2, initialBackoffMs: 0, onRetry: ({ retry }) => seen.push(retry) }).stream(
      request(),
    ),
  );
  expect(seen).toEqual([1, 2]);
  vi.useFakeTimers();
});

test('a stream that fails after its first event is not tried again', async () => {
  verifies('providers.retry.stream');
  const inner = scriptedProvider([{ error: busy(), after: [{ type: 'text-delta', text: 'half' }] }, { text: 'never' }]);
  const events: unknown[] = [];
  await expect(async () => {
    for await (const event of withRetry(inner).stream(request())) events.push(event);
  }).rejects.toMatchObject({ message: 'busy' });
  expect(events).toEqual([{ type: 'text-delta', text: 'half' }]);
  expect(inner.requests).toHaveLength(1);
});

test('a stream that fails before its first event is tried again, and its reader sees one whole reply', async () => {
  verifies('providers.retry.stream');
  const inner = scriptedProvider([{ error: busy() }, { error: busy() }, { text: 'all good', pieces: 3 }]);
  const events = all(withRetry(inner).stream(request()));
  await vi.runAllTimersAsync();
  expect((await events).map(({ type }) => type)).toEqual(['text-delta', 'text-delta', 'text-delta', 'message-end']);
});

test('embeddings and transcriptions are tried again as well', async () => {
  const inner = scriptedProvider([{ error: busy() }, { embeddings: [[1]] }, { error: busy() }, { transcript: 'hi' }]);
  const provider = withRetry(inner);
  const vectors = provider.embed?.({ model: 'm', input: 'a' });
  await vi.runAllTimersAsync();
  expect(await vectors).toEqual({ embeddings: [{ index: 0, vector: [1] }] });
  const audio = { data: new Uint8Array(1), mimeType: 'audio/wav', name: 'a.wav' };
  const text = provider.transcribe?.({ model: 'm', audio });
  await vi.runAllTimersAsync();
  expect(await text).toEqual({ text: 'hi' });
  expect('embed' in withRetry({ name: 'x', stream: inner.stream })).toBe(false);
});

test('an abort ends a wait at once with its reason, and leaves no timer and no listener', async () => {
  const abort = new AbortController();
  const reason = new Error('enough');
  const provider = withRetry(scriptedProvider([{ error: busy() }, { text: 'never' }]), {
    onRetry: () => setImmediate(() => abort.abort(reason)),
  });
  await expect(all(provider.stream(request({ signal: abort.signal })))).rejects.toBe(reason);
  expect(getEventListeners(abort.signal, 'abort')).toEqual([]);
});

test('a consumer that returns during a wait ends it: nothing more is sent', async () => {
  const inner = scriptedProvider([{ error: busy() }, { text: 'never' }]);
  const iterator = withRetry(inner).stream(request())[Symbol.asyncIterator]();
  const pending = iterator.next();
  await vi.waitFor(() => expect(vi.getTimerCount()).toBe(1), 60_000);
  await iterator.return?.();
  expect(await pending).toEqual({ done: true, value: undefined });
  expect(inner.requests).toHaveLength(1);
});

test('an error that is not a KernelError is a bug and is never retried', async () => {
  const bug = new TypeError('oops');
  const inner = scriptedProvider([{ error: bug }, { text: 'never' }]);
  expect(await errorOf(withRetry(inner).stream(request()))).toBe(bug);
});

test.each([
  [{ maxRetries: -1 }, 'maxRetries is -1'],
  [{ maxRetries: Number.NaN }, 'maxRetries is NaN'],
  [{ multiplier: 0.5 }, 'multiplier is 0.5'],
  [{ initialBackoffMs: -5 }, 'initialBackoffMs is -5'],
])('the options %j throw CONFIG_INVALID at once', (options, said) => {
  const inner: Provider = scriptedProvider([]);
  expect(() => withRetry(inner, options)).toThrow(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(said) as unknown }),
  );
});
