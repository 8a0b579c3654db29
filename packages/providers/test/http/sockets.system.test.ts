import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { chunk, errorOf, request, sse, until } from '../support.ts';
import { answer, withSockets } from './sockets.support.ts';

test('a connection that stays open after the end mark is closed soon after its consumer has returned', async () => {
  await withSockets(
    (socket) => socket.write(answer().replace(/content-length: \d+/, 'content-length: 9999')),
    async (provider, { open }) => {
      for await (const event of provider.stream(request())) if (event.type === 'message-end') break;
      expect(open.size).toBe(1);
      await until(() => open.size === 0, 60_000);
    },
  );
});

const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n';

test.each([
  ['headers', 'firstByteMs', '', HEAD],
  ['an event', 'idleMs', `${HEAD}${sse(chunk({ content: 'Hel' }))}`, sse(chunk({ content: 'x'.repeat(1000) }))],
] as const)('%s that come byte by byte end by %s, and the socket is closed', async (_what, timeout, atOnce, slowly) => {
  verifies('providers.timeouts');
  await withSockets(
    (socket) => {
      socket.write(atOnce);
      let at = 0;
      const drip = setInterval(() => socket.write(slowly[(at += 1) - 1] ?? 'x'), 10);
      socket.on('close', () => clearInterval(drip));
    },
    async (provider, { open }) => {
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout, timeoutMs: 150 } });
      await until(() => open.size === 0, 60_000);
    },
    { [timeout]: 150 },
  );
});
