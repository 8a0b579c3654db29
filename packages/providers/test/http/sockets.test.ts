/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import { getEventListeners } from 'node:events';
import { textOf } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { chunk, endOf, errorOf, request, sse, until } from '../support.ts';
import { answer, BODY, withSockets } from './sockets.support.ts';

test('a socket that the server closed while it was idle is not used again', async () => {
  await withSockets(
    (socket) => socket.write(answer()),
    async (provider, { open, opened }) => {
      for (let round = 1; round <= 3; round += 1) {
        expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
        expect(opened()).toBe(round);
        for (const socket of open) socket.end();
        await until(() => open.size === 0, 60_000);
      }
    },
  );
});

test('a reader that leaves at the end mark leaves the connection to the next request', async () => {
  let endBody = (): void => undefined;
  await withSockets(
    (socket) => {
      const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
      socket.write(`${head}${BODY.length.toString(16)}\r\n${BODY}\r\n`);
      endBody = () => void socket.write('0\r\n\r\n');
    },
    async (provider, { opened }) => {
      const { signal } = new AbortController();
      for (let round = 0; round < 5; round += 1) {
        for await (const event of provider.stream(request({ signal }))) {
          if (event.type !== 'message-end') continue;
          // The end of the body is a packet of its own, which comes when the reader is leaving.
          setImmediate(endBody);
          break;
        }
        expect(getEventListeners(signal, 'abort')).toEqual([]);
      }
      expect(opened()).toBe(1);
    },
  );
});

test('a server that says it closes gets each request on a new socket, those that waited too', async () => {
  await withSockets(
    (socket) => socket.end(answer('connection: close\r\n')),
    async (provider, { opened }) => {
      const ends = await Promise.all(Array.from({ length: 5 }, () => endOf(provider.stream(request()))));
      expect(ends.map(({ message }) => textOf(message))).toEqual(Array.from({ length: 5 }, () => 'Hello'));
      expect(opened()).toBe(5);
    },
  );
});

test('the answer of a server that has not read the whole body is accepted', async () => {
  const said = '{"error":{"message":"The body is too large."}}';
  await withSockets(
    (socket) => {
      socket.pause();
      socket.write(
        `HTTP/1.1 413 Too Large\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ${said.length}\r\n\r\n${said}`,
      );
    },
    async (provider) => {
      const large = request({ messages: [{ role: 'user', content: 'x'.repeat(20_000_000) }] });
      for (let round = 0; round < 2; round += 1) {
        const error = await errorOf(provider.stream(large));
        expect(error).toMatchObject({ code: 'PROVIDER_HTTP', data: { status: 413 } });
        expect(error.message).toContain('The body is too large.');
      }
    },
  );
});

test('oversized headers are PROVIDER_PROTOCOL, and do not affect the next request', async () => {
  await withSockets(
    (socket, number) => socket.write(number === 1 ? answer(`x-much: ${'x'.repeat(100_000)}\r\n`) : answer()),
    async (provider) => {
      expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
      expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
    },
  );
});

test('headers without end are PROVIDER_PROTOCOL, and the socket is closed', async () => {
  await withSockets(
    (socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const more = (): void => void (socket.destroyed || socket.write(`x-more: ${'x'.repeat(1000)}\r\n`, more));
      more();
    },
    async (provider, { open }) => {
      expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
      await until(() => open.size === 0, 60_000);
    },
  );
});

test.each(['before its first byte', 'after its headers', 'in its body'])(
  'a request cancelled %s lets the waiting ones go on',
  async (when) => {
    const head = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n';
    const first = sse(chunk({ content: 'Hel' }));
    const sent = { 'before its first byte': '', 'after its headers': head }[when];
    const abort = new AbortController();
    await withSockets(
      (socket, number) => {
        if (number > 1) {
          socket.write(answer());
          return;
        }
        socket.write(sent ?? `${head}${first.length.toString(16)}\r\n${first}\r\n`);
        setImmediate(() => abort.abort(new Error('enough')));
      },
      async (provider, { opened }) => {
        const given = errorOf(provider.stream(request({ signal: abort.signal })));
        const others = Array.from({ length: 3 }, () => endOf(provider.stream(request())));
        expect((await given).message).toBe('enough');
        expect((await Promise.all(others)).map(({ message }) => textOf(message))).toEqual(['Hello', 'Hello', 'Hello']);
        expect(opened()).toBe(2);
      },
    );
  },
);
