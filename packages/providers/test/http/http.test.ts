import { createServer, type Server } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { verifies, type WireServer } from '@kernel/testing';
import { textOf } from '@kernel/protocol';
import { expect, onTestFinished, test, vi } from 'vitest';
import { untilHolds, withoutTimers } from '../../../../test/setup/without-timers.ts';
import { createProvider } from '../../src/index.ts';
import { chunk, endOf, errorOf, pause, request, sse, until, untilQuiet, withServer } from '../support.ts';
import { isFetch } from '../transport.ts';

const REPLY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');
const FIRST = sse(chunk({ content: 'Hel' }));

/** Whether the connection is closed. The fetch of Node opens a fresh one in its place. */
function hasClosed({ connections }: WireServer): boolean {
  return isFetch() ? connections.open < connections.opened : connections.open === 0;
}

test('an abort while a token function hangs throws the reason and leaves no timer', async () => {
  const provider = createProvider({
    name: 'openai',
    baseUrl: 'http://127.0.0.1:1/v1',
    token: () => new Promise(() => undefined),
  });
  const abort = new AbortController();
  const before = process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
  const failed = errorOf(provider.stream(request({ signal: abort.signal })));
  await pause(50);
  const reason = new Error('enough');
  abort.abort(reason);
  expect(await failed).toBe(reason);
  expect(process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length).toBeLessThanOrEqual(before);
});

test.each([1, 2])(
  'an abort from inside a token function (asked time %d) leaves no request and no timer',
  async (time) => {
    const abort = new AbortController();
    const reason = new Error('enough');
    let asked = 0;
    const token = (): Promise<string> => {
      asked += 1;
      if (asked < time) return Promise.resolve('stale');
      abort.abort(reason);
      return new Promise(() => undefined);
    };
    const set = vi.spyOn(globalThis, 'setTimeout');
    const clear = vi.spyOn(globalThis, 'clearTimeout');
    onTestFinished(() => void vi.restoreAllMocks());
    await withServer(
      { replies: () => ({ chunks: [REPLY] }), token: 'fresh' },
      async ({ provider, server }) => {
        expect(await errorOf(provider.stream(request({ signal: abort.signal })))).toBe(reason);
        const timers = set.mock.results.filter((_, at) => set.mock.calls[at]?.[1] === 54_321);
        expect(timers).toHaveLength(1);
        for (const { value } of timers) expect(clear).toHaveBeenCalledWith(value);
        expect(server.requests).toHaveLength(time - 1);
      },
      { token, timeouts: { connectMs: 54_321 } },
    );
  },
);

test('an abort throws the reason unwrapped, closes the socket at once and leaves no listener', async () => {
  verifies('providers.stream.abort');
  for (const fault of [{ beforeHead: 'stall' } as const, { stallAfter: 0 }, { stallAfter: FIRST.length }]) {
    await withServer([{ chunks: [REPLY], fault }], async ({ provider, server }) => {
      const abort = new AbortController();
      const reason = new Error('enough');
      let listeners = 0;
      const { signal } = abort;
      const add = signal.addEventListener.bind(signal);
      const remove = signal.removeEventListener.bind(signal);
      signal.addEventListener = (...args: Parameters<typeof add>) => ((listeners += 1), add(...args));
      signal.removeEventListener = (...args: Parameters<typeof remove>) => ((listeners -= 1), remove(...args));
      const failed = errorOf(provider.stream(request({ signal })));
      await until(() => server.requests.length === 1, 60_000);
      await pause(20);
      const error = await withoutTimers(
        () => abort.abort(reason),
        async () => {
          const thrown = await failed;
          await untilHolds(() => hasClosed(server));
          return thrown;
        },
      );
      expect(error).toBe(reason);
      expect(listeners).toBe(0);
    });
  }
});

test('leaving the loop closes the socket at once', async () => {
  verifies('providers.stream.abort');
  await withServer([{ chunks: [REPLY], fault: { stallAfter: REPLY.length - 20 } }], async ({ provider, server }) => {
    const events = provider.stream(request())[Symbol.asyncIterator]();
    expect(await events.next()).toEqual({ done: false, value: { type: 'text-delta', text: 'Hello' } });
    await withoutTimers(
      () => void events.return?.(),
      () => untilHolds(() => hasClosed(server)),
    );
  });
});

test('gzip, deflate and br are decompressed; corrupt and unknown encodings are typed errors', async () => {
  const bytes = Buffer.from(REPLY);
  const encodings = { gzip: gzipSync(bytes), deflate: deflateSync(bytes), br: brotliCompressSync(bytes) };
  for (const [encoding, body] of Object.entries(encodings)) {
    const headers = { 'content-type': 'text/event-stream', 'content-encoding': encoding };
    await withServer(
      [
        { headers, chunks: [body] },
        { headers, chunks: [body.subarray(0, 20)] },
      ],
      async ({ provider }) => {
        expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
        expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
      },
    );
  }
  // A fetch says nothing of an encoding that it does not know.
  if (isFetch()) return;
  await withServer([{ headers: { 'content-encoding': 'zstd-next' }, chunks: [REPLY] }], async ({ provider }) => {
    expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
  });
});

test('a decompression bomb throws PROVIDER_PROTOCOL and memory grows by less than 100 MB', async () => {
  verifies('providers.limits');
  const comment = gzipSync(Buffer.from(`: ${'x'.repeat(998)}\n`.repeat(120_000)), { level: 1 });
  const line = gzipSync(Buffer.alloc(120_000_000, 'x'), { level: 1 });
  const headers = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' };
  for (const bomb of [comment, line]) {
    await withServer([{ headers, chunks: [bomb] }], async ({ provider, server }) => {
      const before = process.memoryUsage().rss;
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
      expect(process.memoryUsage().rss - before).toBeLessThan(100_000_000);
      await until(() => hasClosed(server), 60_000);
    });
  }
});

test('a reader that stops reading stops the socket', async () => {
  const piece = sse(chunk({ content: 'x'.repeat(1000) }));
  const total = 40_000;
  let sent = 0;
  const server: Server = createServer((_, response) => {
    const more = (): void => {
      while (sent < total) {
        sent += 1;
        if (!response.write(piece)) {
          response.once('drain', more);
          return;
        }
      }
      response.end(REPLY);
    };
    more();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` });
  const iterator = provider.stream(request())[Symbol.asyncIterator]();
  await iterator.next();
  await untilQuiet(() => sent);
  // What is under way fills the socket's buffers and ours, but not 40 MB.
  expect(sent).toBeLessThan(total / 2);
  const stopped = sent;
  await pause(100);
  expect(sent).toBe(stopped);
  await iterator.return?.();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test('a long backlog leaves room for timers', async () => {
  const body = sse(...Array.from({ length: 30_000 }, (_, at) => chunk({ content: `word ${at} ` })), chunk({}, 'stop'));
  await withServer([{ chunks: [body] }], async ({ provider }) => {
    let events = 0;
    // A clock that only reading moves, by 10 ms for a thousand events: how busy the machine is does not count.
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => events / 100);
    let most = 0;
    let before = 0;
    const onTurn = (): void => {
      most = Math.max(most, events - before);
      before = events;
      immediate = setImmediate(onTurn);
    };
    let immediate = setImmediate(onTurn);
    try {
      for await (const _ of provider.stream(request())) events += 1;
    } finally {
      clearImmediate(immediate);
      clock.mockRestore();
    }
    expect(events).toBe(30_001);
    expect(most).toBeLessThan(6000);
  });
});

test('a redirect is refused and no request reaches the other origin', async () => {
  verifies('providers.auth.secret');
  await withServer([{ chunks: [REPLY] }], async ({ server: other }) => {
    const location = `${other.url}/v1/chat/completions`;
    const replies = [301, 302, 307, 308].map((status) => ({ status, headers: { location }, chunks: [] }));
    await withServer(
      replies,
      async ({ provider }) => {
        for (const { status } of replies) {
          const error = await errorOf(provider.stream(request()));
          expect(error).toMatchObject({ code: 'PROVIDER_HTTP', retryable: false });
          expect(error.data).toMatchObject({ status });
          expect(error.hint).toContain(location);
        }
        expect(other.requests).toHaveLength(0);
      },
      { token: 'sk-secret-1234' },
    );
  });
});

test('connection faults before and during the answer are PROVIDER_NETWORK and retryable', async () => {
  const during = { chunks: [REPLY], fault: { resetAfter: FIRST.length + 6 } };
  await withServer([{ chunks: [], fault: { beforeHead: 'reset' } }, during], async ({ provider }) => {
    expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_NETWORK', retryable: true });
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({ code: 'PROVIDER_NETWORK', retryable: true, data: { partialText: 'Hello' } });
  });
  const provider = createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:1/v1' });
  const refused = await errorOf(provider.stream(request()));
  expect(refused).toMatchObject({ code: 'PROVIDER_NETWORK' });
  expect(refused.hint).toContain('baseUrl');
});

test('a server that does not speak HTTP gives PROVIDER_PROTOCOL', async () => {
  const sockets = new Set<Socket>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.write('SSH-2.0-OpenSSH\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const provider = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${port}/v1` });
  const error = await errorOf(provider.stream(request()));
  expect(['PROVIDER_PROTOCOL', 'PROVIDER_NETWORK']).toContain(error.code);
  for (const socket of sockets) socket.destroy();
  await new Promise((resolve) => server.close(resolve));
});
