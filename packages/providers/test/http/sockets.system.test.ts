import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type Provider } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider, type Timeouts } from '../../src/index.ts';
import { chunk, errorOf, request, sse, until } from '../support.ts';

const BODY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');
const answer = (headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${headers}content-length: ${BODY.length}\r\n\r\n${BODY}`;

/** Runs `work` with a server on bare sockets: `onRequest` hears the first bytes of each request. */
async function withSockets(
  onRequest: (socket: Socket, number: number) => void,
  work: (
    provider: Provider,
    sockets: { readonly open: ReadonlySet<Socket>; readonly opened: () => number },
  ) => Promise<void>,
  timeouts: Timeouts = {},
): Promise<void> {
  const open = new Set<Socket>();
  let opened = 0;
  let requests = 0;
  const server = createServer((socket) => {
    opened += 1;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    socket.on('data', (bytes: Buffer) => {
      if (bytes.subarray(0, 4).toString() === 'POST') onRequest(socket, (requests += 1));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const provider = createProvider({
      name: 'openai',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      connections: 1,
      timeouts,
    });
    await work(provider, { open, opened: () => opened });
  } finally {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  }
}

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
