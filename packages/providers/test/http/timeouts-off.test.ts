import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { chunk, endOf, request, sse, withServer } from '../support.ts';

const REPLY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');
const OFF = { connectMs: 0, firstByteMs: 0, idleMs: 0, totalMs: 0 };

// In a file of its own: undici shares one timer among all connections of a process that wait. An idle one waits for its end, so none is kept.
test('a timeout of 0 or Infinity is off: no timer is set for a token, a connection, a first byte, an event or the whole', async () => {
  verifies('providers.timeouts', 'providers.clocks');
  const set = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => set.mockRestore());
  const timersWith = async (timeouts: Partial<typeof OFF>): Promise<number> => {
    const token = (): Promise<string> => new Promise((resolve) => setImmediate(resolve, 'abcd'));
    let before = 0;
    await withServer(
      [{ chunks: [REPLY], headers: { 'content-type': 'text/event-stream', connection: 'close' } }],
      async ({ provider }) => {
        before = set.mock.calls.length;
        expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
      },
      { token, timeouts },
    );
    return set.mock.calls.length - before;
  };
  expect(await timersWith(OFF)).toBe(0);
  const never = { connectMs: Infinity, firstByteMs: Infinity, idleMs: Infinity, totalMs: Infinity };
  expect(await timersWith(never)).toBe(0);
  // The token's and the connection's.
  expect(await timersWith({ ...OFF, connectMs: 900 })).toBe(2);
  expect(await timersWith({ ...OFF, firstByteMs: 900 })).toBe(1);
});
