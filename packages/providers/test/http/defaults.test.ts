import { KernelError } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { retryAfterMs, retryDelayMs } from '../../src/http/vendor-error.ts';
import { resolveTimeouts } from '../../src/http/timeouts.ts';
import { withFallback } from '../../src/index.ts';
import { endOf, errorOf, pause, request, until, withServer } from '../support.ts';

test('without any option a connection may take 30 s, the first byte 5 min, a pause 2 min, and the whole as long as it likes', () => {
  verifies('providers.timeouts');
  const defaults = { connectMs: 30_000, firstByteMs: 300_000, idleMs: 120_000, totalMs: 0 };
  expect(resolveTimeouts()).toEqual(defaults);
  expect(resolveTimeouts({ connectMs: undefined, totalMs: undefined })).toEqual(defaults);
  expect(resolveTimeouts({ idleMs: 1 })).toEqual({ ...defaults, idleMs: 1 });
});

test.each([
  [2 ** 31, 'timeouts.idleMs is 2147483648, longer than a timer can wait.'],
  [-1, 'timeouts.idleMs is -1, not a number of milliseconds.'],
  [Number.NaN, 'timeouts.idleMs is NaN, not a number of milliseconds.'],
])('a timeout of %d is refused, and what is wrong with it is said', (idleMs, message) => {
  verifies('providers.timeouts');
  expect(() => resolveTimeouts({ idleMs })).toThrow(
    expect.objectContaining({ message, hint: expect.stringContaining('at most 2147483647 ms') as string }),
  );
});

test('without any option a provider opens 10 connections, neither fewer nor more', async () => {
  verifies('providers.pool');
  // Nothing is answered, so that no connection becomes free.
  const replies = () => ({ chunks: [], fault: { beforeHead: 'stall' as const } });
  await withServer({ replies }, async ({ provider, server }) => {
    const stop = new AbortController();
    const asked = Array.from({ length: 14 }, () => errorOf(provider.stream(request({ signal: stop.signal }))));
    await until(() => server.connections.open === 10, 60_000);
    // Time for one more, which would come at once.
    await pause(30);
    expect([server.connections.opened, server.requests.length]).toEqual([10, 10]);
    stop.abort();
    await Promise.all(asked);
  });
});

test('without any option a provider that failed rests for 60 seconds, and not longer', async () => {
  verifies('providers.registry.fallback');
  let time = 0;
  const broken = new KernelError('PROVIDER_HTTP', 'down', { retryable: true, data: { status: 503 } });
  const first = scriptedProvider([{ error: broken }, { text: 'back' }]);
  const second = scriptedProvider([{ text: 'b' }, { text: 'b' }]);
  const provider = withFallback([first, second], { now: () => time });
  const answerAt = async (ms: number): Promise<unknown> => {
    time = ms;
    return (await endOf(provider.stream(request()))).message.content;
  };
  const texts = [await answerAt(0), await answerAt(59_999), await answerAt(60_000)];
  expect(texts).toMatchObject([[{ text: 'b' }], [{ text: 'b' }], [{ text: 'back' }]]);
});

test('a wait that a server asks for is taken up to 60 seconds, and not beyond', () => {
  verifies('providers.retry.backoff');
  const after = (headers: Readonly<Record<string, string>>): number | undefined => retryAfterMs(headers, 0);
  const date = (ms: number): string => new Date(ms).toUTCString();
  expect([after({ 'retry-after': '60' }), after({ 'retry-after': '60.001' })]).toEqual([60_000, undefined]);
  expect([after({ 'retry-after-ms': '60000' }), after({ 'retry-after-ms': '60001' })]).toEqual([60_000, undefined]);
  expect([after({ 'retry-after': date(60_000) }), after({ 'retry-after': date(61_000) })]).toEqual([60_000, undefined]);
  expect([after({ 'retry-after': date(-1000) }), after({ 'retry-after': '-1' })]).toEqual([undefined, undefined]);
  const details = [['60s'], ['60.001s'], ['0s'], ['60'], [60]].map(([retryDelay]) =>
    retryDelayMs([{}, { retryDelay }]),
  );
  expect(details).toEqual([60_000, undefined, 0, undefined, undefined]);
});
