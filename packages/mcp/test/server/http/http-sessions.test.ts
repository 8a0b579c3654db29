import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { type Toolset, toolResult } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { serveHttp, type ServeHttpOptions } from '../../../src/index.ts';
import { hello, openSession, rpc, send } from '../raw.ts';
import { changeable, hanging, memoryEventStore, plainTool, signalled } from '../support.ts';

async function urlOf(toolset: Toolset, options: ServeHttpOptions = {}): Promise<string> {
  const server = await serveHttp(toolset, options);
  onTestFinished(() => server.close());
  return server.url;
}

describe('a session', () => {
  test('is opened by initialize alone; anything else without one is refused with its id', async () => {
    verifies('mcp.server.lifecycle');
    const url = await urlOf(changeable('a'));
    expect(await send(url, rpc('tools/list', {}, 9))).toMatchObject({ status: 400, json: { id: 9, error: {} } });
    expect(await send(url, rpc('initialize', { nothing: true }, 3))).toMatchObject({
      status: 400,
      json: { id: 3, error: { code: -32_602 } },
    });
    expect((await send(url, undefined)).status).toBe(400);
  });

  test('that is unknown or has ended is not found, so that the client opens another', async () => {
    verifies('mcp.server.lifecycle');
    const url = await urlOf(changeable('a'));
    expect((await send(url, rpc('ping'), { 'mcp-session-id': 'made-up' })).status).toBe(404);
    const session = await openSession(url);
    expect((await send(url, rpc('ping'), session)).status).toBe(200);
    expect((await send(url, undefined, session, 'DELETE')).status).toBe(200);
    expect((await send(url, rpc('ping'), session)).status).toBe(404);
  });

  test('that is deleted aborts its calls and leaves no listener', async () => {
    const hang = hanging();
    const list = changeable('hang');
    const url = await urlOf({ ...hang, subscribe: (listener) => list.subscribe?.(listener) ?? (() => {}) });
    const before = list.listeners;
    const session = await openSession(url);
    expect(list.listeners).toBe(before + 1);
    const call = send(url, rpc('tools/call', { name: 'hang' }), session);
    await hang.began;
    await send(url, undefined, session, 'DELETE');
    await hang.aborted;
    await call;
    expect(list.listeners).toBe(before);
  });

  test('a client may open its stream again at once after it was cut', async () => {
    const url = await urlOf(changeable('a'));
    const headers = { accept: 'text/event-stream', ...(await openSession(url)) };
    for (let round = 0; round < 3; round += 1) {
      await vi.waitFor(async () => {
        const stream = request(url, { headers }).end();
        const [{ statusCode }] = (await once(stream, 'response')) as [{ statusCode: number }];
        stream.destroy();
        expect(statusCode).toBe(200);
      }, 60_000);
    }
  });

  test('is not opened any more while the server closes', async () => {
    const toolset = changeable('a');
    const server = await serveHttp(toolset);
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' };
    const late = request(server.url, { method: 'POST', headers });
    const body = rpc('initialize', hello());
    late.write(body.slice(0, 10));
    await openSession(server.url); // by now the server waits for the rest of the first one
    const closing = server.close();
    late.end(body.slice(10));
    const [{ statusCode }] = (await once(late, 'response')) as [IncomingMessage];
    late.destroy();
    await closing;
    expect(statusCode).toBe(503);
    expect(toolset.listeners).toBe(0);
  });

  test('are limited in number; one that ends makes room', async () => {
    const url = await urlOf(changeable('a'), { maxSessions: 2 });
    const first = await openSession(url);
    await openSession(url);
    const refused = await send(url, rpc('initialize', hello()));
    expect(refused).toMatchObject({ status: 503, headers: { 'retry-after': '10' } });
    await send(url, undefined, first, 'DELETE');
    expect((await send(url, rpc('initialize', hello()))).status).toBe(200);
  });
});

describe('a client that leaves', () => {
  /** Calls the hanging tool over a socket of its own, and cuts it when the call has begun. */
  async function callAndLeave(url: string, hang: ReturnType<typeof hanging>): Promise<void> {
    const headers = {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      ...(await openSession(url)),
    };
    const call = request(url, { method: 'POST', headers });
    call.on('error', () => {}); // we cut it ourselves
    call.end(rpc('tools/call', { name: 'hang' }));
    await hang.began;
    call.destroy();
  }

  test('aborts its calls, because nobody could get their results', async () => {
    verifies('mcp.server.lifecycle');
    const hang = hanging();
    await callAndLeave(await urlOf(hang), hang);
    expect(String(await hang.aborted)).toContain('disconnected');
  });

  test('does not abort them where it can come back, and gets what it missed', async () => {
    const answer = signalled<string>();
    const waiting: Toolset = toToolset({
      list: () => [plainTool('wait')],
      call: async (_call, { signal }) => toolResult(signal.aborted ? 'aborted' : await answer.happened),
    });
    const url = await urlOf(waiting, { createEventStore: memoryEventStore });
    const session = await openSession(url);
    const headers = { accept: 'application/json, text/event-stream', 'content-type': 'application/json', ...session };
    const call = request(url, { method: 'POST', headers });
    call.on('error', () => {}); // we cut it ourselves
    call.end(rpc('tools/call', { name: 'wait' }, 8));
    const [response] = (await once(call, 'response')) as [IncomingMessage];
    const [first] = (await once(response, 'data')) as [Buffer];
    const lastEventId = /^id: (\S+)$/m.exec(first.toString())?.[1] ?? '';
    response.on('error', () => {});
    call.destroy();
    const again = { accept: 'text/event-stream', ...session, 'last-event-id': lastEventId };
    const back = await vi.waitFor(async () => {
      const answered = await fetch(url, { headers: again });
      expect(answered.status).toBe(200); // 409 until the server has noticed that the first connection was lost
      return answered;
    }, 60_000);
    answer.resolve('here it is');
    expect(await back.text()).toContain(
      '"result":{"content":[{"type":"text","text":"here it is"}]},"jsonrpc":"2.0","id":8',
    );
  });
});

test('the stream of a cancelled call ends, instead of staying open for as long as the session', async () => {
  verifies('mcp.server.lifecycle');
  const hang = hanging();
  const url = await urlOf(hang);
  const session = await openSession(url);
  const call = send(url, rpc('tools/call', { name: 'hang' }, 5), session);
  await hang.began;
  const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 5, reason: 'enough' } };
  expect((await send(url, JSON.stringify(cancelled), session)).status).toBe(202);
  expect(await hang.aborted).toBe('enough');
  expect((await call).json).toBeUndefined();
});
