import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { Provider } from '@kernel/protocol';
import { createProvider, type Timeouts } from '../../src/index.ts';
import { chunk, sse } from '../support.ts';

/** A streamed reply. */
export const BODY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');
/** A whole answer, with more headers. */
export const answer = (headers = ''): string =>
  `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n${headers}content-length: ${BODY.length}\r\n\r\n${BODY}`;

/** Runs `work` with a server on bare sockets: `onRequest` hears the first bytes of each request. */
export async function withSockets(
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
