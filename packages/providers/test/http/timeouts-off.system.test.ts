import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { chunk, endOf, request, sse, withServer } from '../support.ts';
import { isFetch } from '../transport.ts';

const REPLY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');
/** Timers that Node's own fetch sets, and that of a connection which a reply did not end. */
const OTHERS = /node:internal\/deps|startLingering/;
const OFF = { connectMs: 0, firstByteMs: 0, idleMs: 0, totalMs: 0 };

// In a file of its own: undici shares one timer among all connections of a process that wait. An idle one waits for its end, so none is kept.
test('a timeout of 0 or Infinity is off: no timer is set for a token, a connection, a first byte, an event or the whole', async () => {
  verifies('providers.timeouts', 'providers.clocks');
  const { setTimeout: start } = globalThis;
  let timers = 0;
  const set = vi.spyOn(globalThis, 'setTimeout').mockImplementation((...args: Parameters<typeof start>) => {
    if (!OTHERS.test(new Error('Who sets it?').stack ?? '')) timers += 1;
    return start(...args);
  });
  onTestFinished(() => set.mockRestore());
  const timersWith = async (timeouts: Partial<typeof OFF>): Promise<number> => {
    const token = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, 'abcd'));
    let before = 0;
    await withServer(
      [{ chunks: [REPLY], headers: { 'content-type': 'text/event-stream', connection: 'close' } }],
      async ({ provider }) => {
        before = timers;
        expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
      },
      { token, timeouts },
    );
    return timers - before;
  };
  expect(await timersWith(OFF)).toBe(0);
  const never = { connectMs: Infinity, firstByteMs: Infinity, idleMs: Infinity, totalMs: Infinity };
  expect(await timersWith(never)).toBe(0);
  // The token's and the connection's, which no fetch tells of.
  expect(await timersWith({ ...OFF, connectMs: 900 })).toBe(isFetch() ? 1 : 2);
  expect(await timersWith({ ...OFF, firstByteMs: 900 })).toBe(1);
});
