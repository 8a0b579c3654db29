import type { Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { type Client, type ClientOptions, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { type HttpServer, serveHttp, type ServeHttpOptions } from '../../../src/index.ts';
import { ENVELOPE, hello, openSession, rpc, send } from '../raw.ts';
import { answering, changeable, createClient, hanging, modern } from '../support.ts';

async function serve(toolset: Toolset, options: ServeHttpOptions = {}): Promise<HttpServer> {
  const server = await serveHttp(toolset, options);
  onTestFinished(() => server.close());
  return server;
}

async function connect(server: HttpServer, options: ClientOptions = {}, token?: string): Promise<Client> {
  const client = createClient(options);
  const requestInit = token === undefined ? {} : { requestInit: { headers: { authorization: `Bearer ${token}` } } };
  await client.connect(new StreamableHTTPClientTransport(new URL(server.url), requestInit));
  return client;
}

const eras: Readonly<Record<string, ClientOptions>> = { 'with sessions': {}, '2026-07-28': modern };
const long = 'é'.repeat(100_000); // 200 KB on the wire

describe.each(Object.entries(eras))('over HTTP, %s', (era, options) => {
  test('a client negotiates, pings, lists and calls, with messages over 64 KB both ways', async () => {
    verifies('mcp.server.lifecycle', 'mcp.server.call');
    const server = await serve(mockToolset([mockTool('echo', (call) => call.arguments)]));
    const client = await connect(server, options);
    expect(client.getNegotiatedProtocolVersion()).toBe(era === '2026-07-28' ? era : '2025-11-25');
    expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['echo']);
    const result = await client.callTool({ name: 'echo', arguments: { long } });
    expect(result.content).toEqual([{ type: 'text', text: JSON.stringify({ long }) }]);
  });

  test('progress, failures, unknown tools and structured content are what they are in memory', async () => {
    verifies('mcp.server.call', 'mcp.server.fault');
    const registry = createRegistry([
      bindTool({ name: 'work', description: 'Works.', parameters: {} }, (_input, { onProgress }) => {
        onProgress?.('half');
        return { n: 1 };
      }),
      bindTool({ name: 'fail', description: 'Fails.', parameters: {} }, () => {
        throw new Error('no');
      }),
    ]);
    const client = await connect(await serve(registry), options);
    const received: unknown[] = [];
    const result = await client.callTool({ name: 'work' }, { onprogress: (update) => void received.push(update) });
    expect(result.structuredContent).toEqual({ n: 1 });
    expect(received).toEqual([{ progress: 1, message: 'half' }]);
    await expect(client.callTool({ name: 'fail' })).resolves.toMatchObject({ isError: true });
    await expect(client.callTool({ name: 'nope' })).rejects.toMatchObject({ code: -32_602 });
  });

  test('data that is not an object, and its schema, arrive in the form of the protocol', async () => {
    verifies('mcp.server.call', 'mcp.server.annotations');
    const outputSchema = { type: 'array', items: { type: 'integer' } };
    const client = await connect(await serve(answering({ forLLM: '[1,2]', data: [1, 2] }, { outputSchema })), options);
    const [tool] = (await client.listTools()).tools;
    const { structuredContent } = await client.callTool({ name: 'answer' });
    const wrapped = { type: 'object', properties: { result: outputSchema }, required: ['result'] };
    expect(tool?.outputSchema).toEqual(era === '2026-07-28' ? outputSchema : wrapped);
    expect(structuredContent).toEqual(era === '2026-07-28' ? [1, 2] : { result: [1, 2] });
  });

  test('a cancellation aborts the handler', async () => {
    verifies('mcp.server.lifecycle');
    const toolset = hanging();
    const client = await connect(await serve(toolset), options);
    const stop = new AbortController();
    const call = client.callTool({ name: 'hang' }, { signal: stop.signal });
    await toolset.began;
    stop.abort(new Error('enough'));
    await expect(call).rejects.toThrow('enough');
    await toolset.aborted;
  });

  test('a client that disconnects aborts its calls', async () => {
    verifies('mcp.server.lifecycle');
    const toolset = hanging();
    const client = await connect(await serve(toolset), options);
    const call = client.callTool({ name: 'hang' }).catch(() => {});
    await toolset.began;
    await client.close();
    expect(await toolset.aborted).toBeDefined();
    await call;
  });

  test('two clients are both notified of a change, and see it in their next list', async () => {
    verifies('mcp.server.changed');
    const toolset = changeable('a');
    const server = await serve(toolset);
    const received = [vi.fn<(names: string) => void>(), vi.fn<(names: string) => void>()];
    for (const each of received) {
      const onChanged = (_error: unknown, tools: readonly { readonly name: string }[] | null): void =>
        each((tools ?? []).map(({ name }) => name).join());
      await connect(server, { ...options, listChanged: { tools: { onChanged, debounceMs: 0 } } });
    }
    // A client opens its stream for notifications when it likes: earlier notifications are lost.
    await vi.waitFor(() => {
      toolset.set('a', 'b');
      for (const each of received) expect(each).toHaveBeenLastCalledWith('a,b');
    }, 60_000);
  });

  test('closing the server does not wait for a hung handler, and leaves no listener', async () => {
    const toolset = hanging();
    const listeners = new Set<() => void>();
    const subscribe = (listener: () => void) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    };
    const server = await serveHttp({ ...toolset, subscribe });
    const client = await connect(server, options);
    const call = client.callTool({ name: 'hang' });
    call.catch(() => {}); // checked below
    await toolset.began;
    await server.close();
    await server.close();
    await toolset.aborted;
    await expect(call).rejects.toBeInstanceOf(Error);
    expect(listeners.size).toBe(0);
    await expect(fetch(server.url)).rejects.toBeInstanceOf(TypeError);
  });
});

describe('protocol versions', () => {
  test('a ping is answered in the protocols that have it', async () => {
    verifies('mcp.server.lifecycle');
    await expect((await connect(await serve(changeable('a')))).ping()).resolves.toEqual({});
  });

  test.each(['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'])('a client of %s gets it', async (version) => {
    verifies('mcp.server.lifecycle');
    const { url } = await serve(changeable('a'));
    const { status, json, headers } = await send(url, rpc('initialize', hello(version)));
    expect(status).toBe(200);
    expect(json).toMatchObject({
      result: { protocolVersion: version, capabilities: { tools: { listChanged: true } } },
    });
    expect(headers['mcp-session-id']).toMatch(/^[\w-]{36}$/);
  });

  test('a client of an unknown version is offered the newest with sessions; a wrong header is refused', async () => {
    verifies('mcp.server.lifecycle');
    const { url } = await serve(changeable('a'));
    const { json } = await send(url, rpc('initialize', hello('1999-01-01')));
    expect(json).toMatchObject({ result: { protocolVersion: '2025-11-25' } });
    const session = await openSession(url);
    const wrong = { ...session, 'mcp-protocol-version': '1999-01-01' };
    expect((await send(url, rpc('ping'), wrong)).status).toBe(400);
  });

  test('a request of 2026-07-28 stands alone: no session, and its envelope is required', async () => {
    verifies('mcp.server.lifecycle');
    const { url } = await serve(changeable('a'));
    const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' };
    const { status, json, headers: answered } = await send(url, rpc('tools/list', { _meta: ENVELOPE }), headers);
    expect(status).toBe(200);
    expect(json).toMatchObject({ result: { resultType: 'complete', tools: [{ name: 'a' }] } });
    expect(answered).not.toHaveProperty('mcp-session-id');
    const { json: refused } = await send(url, rpc('tools/list'), headers);
    expect(refused).toMatchObject({ error: { code: -32_602 } });
  });
});

describe('malformed input', () => {
  test('is answered with a JSON-RPC error, and the session goes on', async () => {
    verifies('mcp.server.fault', 'mcp.server.lifecycle');
    const { url } = await serve(mockToolset([mockTool('fine', 'ok')]));
    const session = await openSession(url);
    const bad = async (body: string) => (await send(url, body, session)).json;
    expect(await bad('{"jsonrpc":')).toMatchObject({ error: { code: -32_700 } });
    expect(await bad('{"hello":"world"}')).toMatchObject({ error: { code: -32_600 } });
    expect(await bad(rpc('tools/call', { name: 7 }))).toMatchObject({ id: 1, error: { code: -32_602 } });
    expect(await bad(rpc('tools/call', { name: 'none' }))).toMatchObject({ error: { code: -32_602 } });
    expect(await bad(rpc('tools/nonsense'))).toMatchObject({ error: { code: -32_601 } });
    expect(await bad(rpc('tools/call', { name: 'fine' }, 'two'))).toMatchObject({
      id: 'two',
      result: { content: [{ text: 'ok' }] },
    });
  });

  test('other content types and methods are refused', async () => {
    const { url } = await serve(changeable('a'));
    const session = await openSession(url);
    expect((await send(url, '{}', { ...session, 'content-type': 'text/plain' })).status).toBe(415);
    expect((await send(url, undefined, session, 'PUT')).status).toBe(405);
  });

  test('a request whose client leaves it half sent holds nothing up', async () => {
    const server = await serveHttp(changeable('a'));
    const stop = new AbortController();
    const body = new ReadableStream<Uint8Array>({ start: (to) => to.enqueue(Buffer.from('{"half":')) });
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', body, headers, duplex: 'half' as const, signal: stop.signal };
    const sent = fetch(server.url, init).catch(() => 'left');
    await openSession(server.url);
    stop.abort();
    expect(await sent).toBe('left');
    await server.close();
  });
});

describe('options', () => {
  test('createServer brings resources, and is called for each session', async () => {
    const createServer = vi.fn<() => McpServer>(() => {
      const server = new McpServer({ name: 'mine', version: '2.0.0' });
      server.registerResource('note', 'note://1', {}, () => ({ contents: [{ uri: 'note://1', text: 'hi' }] }));
      return server;
    });
    const server = await serve(answering({ forLLM: 'ok' }), { createServer });
    const [first, second] = [await connect(server), await connect(server)];
    expect(first.getServerVersion()).toMatchObject({ name: 'mine', version: '2.0.0' });
    expect((await second.listResources()).resources).toHaveLength(1);
    expect((await second.listTools()).tools).toHaveLength(1);
    expect(createServer).toHaveBeenCalledTimes(4); // two of them were to find mistakes at the start
  });

  test('a createServer that brings tools of its own, or one server for all, is refused at once', async () => {
    const own = new McpServer({ name: 'mine', version: '1' });
    const withTools = (): McpServer => {
      const server = new McpServer({ name: 'mine', version: '1' });
      server.registerTool('mine', {}, () => ({ content: [] }));
      return server;
    };
    for (const createServer of [() => own, withTools])
      await expect(serveHttp(changeable('a'), { createServer })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  });

  test('name, version and instructions are sent', async () => {
    const client = await connect(await serve(changeable(), { name: 'n', version: '3.1.4', instructions: 'Be kind.' }));
    expect(client.getServerVersion()).toEqual({ name: 'n', version: '3.1.4' });
    expect(client.getInstructions()).toBe('Be kind.');
  });

  test('an abort of the signal closes the server', async () => {
    const stop = new AbortController();
    const { url } = await serve(changeable('a'), { signal: stop.signal });
    stop.abort();
    await vi.waitFor(() => expect(fetch(url)).rejects.toBeInstanceOf(TypeError), 60_000);
  });

  test('a port that is taken is refused with what to do', async () => {
    const { port } = await serve(changeable('a'));
    const toolset = changeable('a');
    await expect(serveHttp(toolset, { port })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
    expect(toolset.listeners).toBe(0);
  });
});
