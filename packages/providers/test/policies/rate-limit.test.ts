import assert from 'node:assert/strict';
import type { Provider } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withRateLimit } from '../../src/index.ts';
import { endOf, request } from '../support.ts';

beforeEach(() => vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'], now: 0 }));
afterEach(() => {
  assert.equal(vi.getTimerCount(), 0, 'timers left');
  vi.useRealTimers();
});

/** Starts so many streams at once; returns when each was sent, in the order of their start. */
async function sentAt(provider: Provider, count: number): Promise<number[]> {
  const times: number[] = Array.from({ length: count }, () => -1);
  const done = times.map(async (_, at) => {
    await endOf(provider.stream(request()));
    times[at] = Date.now();
  });
  await vi.runAllTimersAsync();
  await Promise.all(done);
  return times;
}

const replies = (count: number, usage?: { inputTokens: number; outputTokens: number }) =>
  scriptedProvider(Array.from({ length: count }, () => ({ text: 'x', ...(usage === undefined ? {} : { usage }) })));

test('no 60 seconds see more requests than allowed, and all come through in order', async () => {
  const provider = withRateLimit(replies(7), { requestsPerMinute: 3 });
  expect(await sentAt(provider, 7)).toEqual([0, 0, 0, 60_000, 60_000, 60_000, 120_000]);
});

test('tokens are counted from the usage of replies, and delay the next request', async () => {
  const provider = withRateLimit(replies(4, { inputTokens: 300, outputTokens: 200 }), {
    tokensPerMinute: 1000,
    estimateTokens: () => 500,
  });
  expect(await sentAt(provider, 4)).toEqual([0, 0, 60_000, 60_000]);
});

test('an estimate that was too high is corrected, so that more requests are let through', async () => {
  const provider = withRateLimit(replies(3, { inputTokens: 5, outputTokens: 5 }), {
    tokensPerMinute: 1000,
    estimateTokens: () => 900,
  });
  expect(await sentAt(provider, 3)).toEqual([0, 0, 0]);
});

test('a request larger than the whole limit runs alone instead of never', async () => {
  const provider = withRateLimit(replies(2), { tokensPerMinute: 10, estimateTokens: () => 500 });
  expect(await sentAt(provider, 2)).toEqual([0, 60_000]);
});

test('without an estimate by the caller, the length of the request counts', async () => {
  const provider = withRateLimit(replies(2), { tokensPerMinute: 15 });
  expect(await sentAt(provider, 2)).toEqual([0, 60_000]);
});

test('an abort leaves the queue at once with its reason, and the next one moves up', async () => {
  const inner = replies(3);
  const provider = withRateLimit(inner, { requestsPerMinute: 1 });
  await endOf(provider.stream(request()));
  const abort = new AbortController();
  const waiting = endOf(provider.stream(request({ signal: abort.signal })));
  const next = endOf(provider.stream(request()));
  abort.abort(new Error('no more'));
  await expect(waiting).rejects.toThrow('no more');
  await vi.advanceTimersByTimeAsync(60_000);
  await next;
  expect(inner.requests).toHaveLength(2);
});

test('a consumer that returns while it waits leaves the queue, and no timer remains', async () => {
  const provider = withRateLimit(replies(1), { requestsPerMinute: 1 });
  await endOf(provider.stream(request()));
  const iterator = provider.stream(request())[Symbol.asyncIterator]();
  const pending = iterator.next();
  expect(vi.getTimerCount()).toBe(1);
  await iterator.return?.();
  expect(await pending).toEqual({ done: true, value: undefined });
});

test('embeddings and transcriptions share the queue', async () => {
  const inner = scriptedProvider([
    { text: 'x' },
    { embeddings: [[1]], usage: { inputTokens: 1, outputTokens: 0 } },
    { transcript: 'hi' },
  ]);
  const provider = withRateLimit(inner, { requestsPerMinute: 1, tokensPerMinute: 1000 });
  const times: number[] = [];
  const note = () => times.push(Date.now());
  const audio = { data: new Uint8Array(1), mimeType: 'audio/wav', name: 'a.wav' };
  const all = [
    endOf(provider.stream(request())).then(note),
    provider.embed?.({ model: 'm', input: 'x' }).then(note),
    provider.transcribe?.({ model: 'm', audio }).then(note),
  ];
  await vi.runAllTimersAsync();
  for (const one of all) await one;
  expect(times).toEqual([0, 60_000, 120_000]);
});

test('a limit that is not a number from 1 throws CONFIG_INVALID', () => {
  for (const requestsPerMinute of [0, -1, Number.NaN]) {
    expect(() => withRateLimit(replies(0), { requestsPerMinute })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  }
});

test('embeddings count by their usage, and by a fourth of their characters until it is known', async () => {
  const usage = { inputTokens: 900, outputTokens: 0 };
  const inner = scriptedProvider([{ embeddings: [[1]], usage }, { embeddings: [[1]], usage }, { embeddings: [[1]] }]);
  const provider = withRateLimit(inner, { tokensPerMinute: 1000 });
  const times: number[] = [];
  // 398 characters and two quotation marks are 100 tokens by estimate; the reply says 900.
  for (const input of ['x'.repeat(398), 'x'.repeat(398), 'x'.repeat(398)]) {
    const sent = provider.embed?.({ model: 'm', input });
    await vi.runAllTimersAsync();
    await sent;
    times.push(Date.now());
  }
  expect(times).toEqual([0, 0, 60_000]);
});

test('without a token limit usage is not looked at', async () => {
  const provider = withRateLimit(replies(3, { inputTokens: 1e9, outputTokens: 0 }), { requestsPerMinute: 10 });
  expect(await sentAt(provider, 3)).toEqual([0, 0, 0]);
});
