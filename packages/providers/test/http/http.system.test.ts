/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect as connectTcp, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { verifies, type WireServer } from '@kernel/testing';
import { textOf } from '@kernel/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { chunk, endOf, errorOf, pause, request, sse, until, withServer } from '../support.ts';
import { isFetch, transport } from '../transport.ts';

const REPLY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');
const FIRST = sse(chunk({ content: 'Hel' }));

/** Whether the connection is closed. The fetch of Node opens a fresh one in its place. */
function hasClosed({ connections }: WireServer): boolean {
  return isFetch() ? connections.open < connections.opened : connections.open === 0;
}

test('each timeout expires alone, and its error names the timeout, its value and the option', async () => {
  verifies('providers.timeouts');
  const timeouts = [
    ['firstByteMs', { chunks: [REPLY], fault: { beforeHead: 'stall' } }],
    ['firstByteMs', { chunks: [REPLY], fault: { stallAfter: 0 } }],
    ['idleMs', { chunks: [REPLY], fault: { stallAfter: 30 } }],
    ['idleMs', { chunks: [FIRST, ...Array.from({ length: 40 }, () => [{ waitMs: 20 }, ': wait\n\n']).flat()] }],
    ['totalMs', { chunks: Array.from({ length: 40 }, () => [{ waitMs: 20 }, FIRST]).flat() }],
  ] as const;
  for (const [timeout, reply] of timeouts) {
    await withServer(
      [reply],
      async ({ provider, server }) => {
        const error = await errorOf(provider.stream(request()));
        expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', retryable: true });
        expect(error.data).toMatchObject({ timeout, timeoutMs: 120, option: `timeouts.${timeout}` });
        expect(error.message).toContain('120 ms');
        await until(() => hasClosed(server), 60_000);
      },
      { timeouts: { [timeout]: 120 } },
    );
  }
});

test('a connection that is not accepted in time ends by the connect timeout', async () => {
  verifies('providers.timeouts');
  await withFullBacklog(async (baseUrl) => {
    const provider = createProvider({ name: 'openai', baseUrl, timeouts: { connectMs: 150 } });
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout: 'connectMs', timeoutMs: 150 } });
  });
});

test.each(['connectMs', 'totalMs'] as const)('a token function that never settles ends by %s', async (timeout) => {
  verifies('providers.timeouts');
  const asked: number[] = [];
  const token = (): Promise<string> => (asked.push(1) === 1 ? new Promise(() => undefined) : Promise.resolve('abcd'));
  await withServer(
    { replies: () => ({ chunks: [REPLY] }), token: 'abcd' },
    async ({ provider, server }) => {
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_TIMEOUT', data: { timeout, timeoutMs: 2000 } });
      expect(error.message).toContain('for a token');
      expect(server.requests).toHaveLength(0);
      // The one that hung is given up: the next request asks again.
      expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
      expect(asked).toHaveLength(2);
    },
    { token, timeouts: { [timeout]: 2000 } },
  );
});

test('a stream that keeps delivering outlives the idle timeout and the first-byte timeout', async () => {
  verifies('providers.timeouts');
  const chunks = [...Array.from({ length: 8 }, () => [{ waitMs: 250 }, FIRST]).flat(), REPLY];
  await withServer(
    [{ chunks }],
    async ({ provider }) => {
      expect(textOf((await endOf(provider.stream(request()))).message)).toBe(`${'Hel'.repeat(8)}Hello`);
    },
    { timeouts: { idleMs: 1500, firstByteMs: 1500 } },
  );
});

/** Sends the beginning of a reply, and the rest once it is told to; counts how far it is. */
const TWO_PARTS = `
  const { parentPort, workerData: { first, rest, sent } } = require('node:worker_threads');
  require('node:http').createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' }).write(first);
    parentPort.once('message', () => response.end(rest, () => Atomics.notify(sent, Atomics.store(sent, 0, 1) - 1)));
  }).listen(0, '127.0.0.1', function () { parentPort.postMessage(this.address().port); });`;

test('a program that was stopped for longer than the idle timeout reads what has come meanwhile', async () => {
  verifies('providers.timeouts');
  const sent = new Int32Array(new SharedArrayBuffer(8));
  const server = new Worker(TWO_PARTS, { eval: true, workerData: { first: FIRST, rest: REPLY, sent } });
  onTestFinished(async () => void (await server.terminate()));
  const [port] = (await once(server, 'message')) as [number];
  const baseUrl = `http://127.0.0.1:${port}`;
  const provider = createProvider({ name: 'openai', baseUrl, ...transport, timeouts: { idleMs: 500 } });
  let text = '';
  for await (const event of provider.stream(request())) {
    if (event.type !== 'text-delta') continue;
    if (text === '') {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
      server.postMessage('rest');
      Atomics.wait(sent, 0, 0);
      Atomics.wait(sent, 1, 0, 600);
    }
    text += event.text;
  }
  expect(text).toBe('HelHello');
});

test('50 requests one after another use one connection, and no more than the limit are open at once', async () => {
  verifies('providers.pool');
  await withServer({ replies: () => ({ chunks: [{ waitMs: 1 }, REPLY] }) }, async ({ provider, server }) => {
    for (let at = 0; at < 50; at += 1) await endOf(provider.stream(request()));
    expect(server.connections.opened).toBeLessThanOrEqual(isFetch() ? 10 : 1);
  });
  await withServer(
    { replies: () => ({ chunks: [{ waitMs: 20 }, REPLY] }) },
    async ({ provider, server }) => {
      let most = 0;
      const watch = setInterval(() => (most = Math.max(most, server.connections.open)), 1);
      await Promise.all(Array.from({ length: 30 }, () => endOf(provider.stream(request()))));
      clearInterval(watch);
      // A connection of a fetch may be free a moment later than its request is over.
      expect(most).toBeLessThanOrEqual(isFetch() ? 8 : 4);
      expect(server.connections.opened).toBeLessThanOrEqual(isFetch() ? 29 : 4);
    },
    { connections: 4 },
  );
});

test('an abort while the connection is still being made destroys the socket', async () => {
  verifies('providers.stream.abort');
  await withFullBacklog(async (baseUrl) => {
    const connecting = (): number =>
      process.getActiveResourcesInfo().filter((kind) => kind.endsWith('ConnectWrap')).length;
    const before = connecting();
    const abort = new AbortController();
    const failed = errorOf(createProvider({ name: 'openai', baseUrl }).stream(request({ signal: abort.signal })));
    await until(() => connecting() === before + 1, 60_000);
    abort.abort(new Error('enough'));
    await failed;
    await until(() => connecting() === before, 60_000);
    expect(connecting()).toBe(before);
  });
});

/** A server that listens and never accepts, its queue filled: a further connection is neither made nor refused. */
async function withFullBacklog(work: (baseUrl: string) => Promise<void>): Promise<void> {
  const script = `
    const server = require('node:net').createServer();
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      require('node:fs').writeSync(1, String(server.address().port) + '\\n');
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 30_000);
    });`;
  const child = spawn(process.execPath, ['--eval', script], { stdio: ['ignore', 'pipe', 'inherit'] });
  const sockets: Socket[] = [];
  try {
    const port = Number(await new Promise((resolve) => child.stdout.once('data', resolve)));
    for (let at = 0; at < 8; at += 1) sockets.push(connectTcp(port, '127.0.0.1').on('error', () => undefined));
    await pause(100);
    await work(`http://127.0.0.1:${port}/v1`);
  } finally {
    for (const socket of sockets) socket.destroy();
    child.kill('SIGKILL');
  }
}
