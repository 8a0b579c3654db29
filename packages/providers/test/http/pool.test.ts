import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { expect, test } from 'vitest';
import type { ConnectionPool } from '../../src/http/pool.ts';
import type { TransportOptions } from '../../src/http/transport.ts';
import { type Connection, openPool } from '../../src/http/undici/connection.ts';

test('requests that wait for a connection get it in order, and cancelled ones are skipped', async () => {
  const paths: string[] = [];
  await withServer(
    (request, response) => {
      paths.push(String(request.url));
      response.end('done');
    },
    async (origin) => {
      const pool = await openPool(poolOptions(origin, 1));
      const lent: number[] = [];
      const outcomes = Array.from({ length: 30 }, (_, at) => {
        if (at % 3 !== 1) return send(pool, `/${at}`).outcome;
        pool.acquire(() => lent.push(at))();
        return Promise.resolve('given up');
      });
      expect(await Promise.all(outcomes)).toEqual(
        Array.from({ length: 30 }, (_, at) => (at % 3 === 1 ? 'given up' : 'done')),
      );
      expect(lent).toEqual([]);
      expect(paths).toEqual(Array.from({ length: 30 }, (_, at) => `/${at}`).filter((_, at) => at % 3 !== 1));
    },
  );
});

test('a connection that is refused fails each request that waited for it, and the next one connects anew', async () => {
  const port = await freePort();
  const pool = await openPool(poolOptions(`http://127.0.0.1:${port}`, 1));
  const refused = await Promise.all(Array.from({ length: 3 }, () => send(pool, '/').outcome));
  expect(refused).toEqual(['ECONNREFUSED', 'ECONNREFUSED', 'ECONNREFUSED']);
  await withServer(
    (_, response) => response.end('done'),
    async () => expect(await send(pool, '/').outcome).toBe('done'),
    port,
  );
});

test('a request cancelled while it connects makes room for the next one', async () => {
  await withServer(
    (_, response) => response.end('done'),
    async (origin) => {
      const pool = await openPool(poolOptions(origin, 1));
      const first = send(pool, '/first');
      const second = send(pool, '/second');
      first.connection()?.abortConnect();
      expect(await first.outcome).toBe('The request was cancelled while connecting.');
      expect(await second.outcome).toBe('done');
    },
  );
});

test('each of two connections is held by one request at a time', async () => {
  const held: ServerResponse[] = [];
  await withServer(
    // Two at a time, or none.
    (_, response) => {
      if (held.push(response) === 2) for (const both of held.splice(0)) both.end('done');
    },
    async (origin) => {
      const pool = await openPool(poolOptions(origin, 2));
      const sent = Array.from({ length: 10 }, () => send(pool, '/'));
      await Promise.all(sent.map(({ outcome }) => outcome));
      expect(new Set(sent.map(({ connection }) => connection())).size).toBe(2);
    },
  );
});

test('the connection that was used last is reused first', async () => {
  await withServer(
    (_, response) => response.end('done'),
    async (origin) => {
      const pool = await openPool(poolOptions(origin, 2));
      await Promise.all([send(pool, '/').outcome, send(pool, '/').outcome]);
      const next = send(pool, '/');
      await next.outcome;
      const after = send(pool, '/');
      expect(after.connection()).toBe(next.connection());
      await after.outcome;
    },
  );
});

/** Sends on the pool, gives the connection back at the end, and tells the body or what went wrong. */
function send(pool: ConnectionPool<Connection>, path: string) {
  let lent: Connection | undefined;
  const outcome = new Promise<string>((resolve) => {
    pool.acquire((connection) => {
      lent = connection;
      let body = '';
      connection.dispatch(
        { method: 'POST', path, body: 'ping' },
        {
          onRequestStart: () => undefined,
          onResponseStart: () => undefined,
          onResponseData: (_, bytes) => (body += String(bytes)),
          onResponseEnd() {
            connection.release();
            resolve(body);
          },
          onResponseError(_, error) {
            connection.release();
            resolve('code' in error ? String(error.code) : error.message);
          },
        },
      );
    });
  });
  return { outcome, connection: () => lent };
}

async function withServer(
  listener: RequestListener,
  work: (origin: string) => Promise<void>,
  wanted = 0,
): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(wanted, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  try {
    await work(`http://127.0.0.1:${port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

async function freePort(): Promise<number> {
  const server = createTcpServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

function poolOptions(origin: string, connections: number): TransportOptions {
  return { provider: 'openai', origin, connections, connectMs: 1000, onSecret: () => undefined };
}
