import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@kernel/testing';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { download } from '../../src/images/download.ts';

let connections = 0;
const server = createServer((request, response) => {
  const { port } = server.address() as AddressInfo;
  if (request.url === '/to-address') response.writeHead(302, { location: `http://127.0.0.2:${port}/ok` }).end();
  else if (request.url === '/to-name') response.writeHead(302, { location: `http://localhost:${port}/ok` }).end();
  else if (request.url === '/to-file') response.writeHead(302, { location: 'file:///etc/passwd' }).end();
  else if (request.url === '/slow') response.writeHead(200).write('x');
  else if (request.url === '/missing') response.writeHead(404).end();
  else response.end('image');
});
server.on('connection', () => (connections += 1));
const at = (path: string) => `http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`;
const limits = { maxBytes: 100, timeoutMs: 5000, signal: new AbortController().signal, isRefused: () => false };

beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

test('each redirect is checked anew: an address before it is connected to, a name where it is resolved', async () => {
  verifies('cli.vision.private');
  expect(Buffer.from(await download(at('/ok'), limits)).toString()).toBe('image');
  for (const [path, refused] of [
    ['/to-address', ['127.0.0.2']],
    ['/to-name', ['::1', '127.0.0.1']],
  ] as const) {
    const before = connections;
    let hops = 0;
    // The first hop goes to the written address 127.0.0.1; only what comes after it is refused.
    const isRefused = (address: string) => (hops += 1) > 1 && refused.some((one) => one === address);
    await expect(download(at(path), { ...limits, isRefused })).rejects.toThrow('private address');
    expect(connections - before).toBe(1);
  }
  await expect(download(at('/to-file'), limits)).rejects.toThrow('it leads to a file: address');
});

test('a download has a clock, a size and an abort', async () => {
  verifies('cli.vision.guard');
  await expect(download(at('/slow'), { ...limits, timeoutMs: 200 })).rejects.toThrow('it took longer than 200 ms');
  await expect(download(at('/ok'), { ...limits, maxBytes: 4 })).rejects.toThrow('it is larger than 4 bytes');
  await expect(download(at('/missing'), limits)).rejects.toThrow('the server answered 404');
  const reason = new Error('enough');
  await expect(download(at('/ok'), { ...limits, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
});
