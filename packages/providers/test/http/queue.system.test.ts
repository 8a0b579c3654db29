import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { createProvider } from '../../src/index.ts';

test.each([
  ['idleMs', { idleMs: 1000 }],
  ['totalMs', { idleMs: 0, totalMs: 1000 }],
] as const)('a request that waits for a free connection ends by timeouts.%s', async (timeout, timeouts) => {
  verifies('providers.timeouts.queue');
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    const timer = setInterval(() => response.write('data: {"choices":[{"delta":{"content":"x"}}]}\n\n'), 20);
    response.once('close', () => clearInterval(timer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;
  const config = { name: 'openai', token: 'key-of-a-test', baseUrl, connections: 1 } as const;
  const provider = createProvider({ ...config, timeouts });
  const request = { model: 'm', messages: [{ role: 'user', content: 'Hi.' }] } as const;
  const first = provider.stream(request)[Symbol.asyncIterator]();
  await first.next();
  const read = async (): Promise<void> => {
    for await (const event of provider.stream(request)) expect(event.type).toBe('text-delta');
  };
  const waitingFor = timeout === 'idleMs' ? 'for a free connection' : '';
  await expect(read()).rejects.toMatchObject({
    code: 'PROVIDER_TIMEOUT',
    retryable: true,
    message: expect.stringMatching(new RegExp(`1000 ms .*${waitingFor}.*timeouts.${timeout}`)) as string,
  });
  await first.return?.();
});
