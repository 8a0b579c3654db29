import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectMcp } from '../../../src/index.ts';
import { type HttpFixture, startHttpServer } from '../../fixtures/http-server.ts';
import { SocketClosed, startJsonServer } from '../../fixtures/json-server.ts';
import { call, connected, until } from '../programs.ts';

async function started(port?: number, token?: string): Promise<HttpFixture> {
  const server = await startHttpServer(port, token);
  onTestFinished(() => server.close());
  return server;
}

test('tools of an address are listed and called, with plain and streamed responses, and close ends the session', async () => {
  verifies('mcp.client.toolset');
  const { url, requests } = await started();
  const toolset = await connectMcp({ mcpServers: { web: { type: 'http', url } } });
  expect(toolset.list().map(({ name }) => name)).toContain('mcp__web__ok');
  expect((await call(toolset, 'mcp__web__ok')).forLLM).toBe('ok');
  expect((await call(toolset, 'mcp__web__stream')).forLLM).toBe('streamed');
  await toolset.close();
  expect(requests.at(-1)).toBe('DELETE');
});

test('headers go with each request, and a refused bearer token is an error without the token', async () => {
  const { url, headers } = await started(0, 'sk-very-secret');
  const toolset = await connectMcp({
    mcpServers: { web: { url, headers: { Authorization: 'Bearer sk-very-secret' } } },
  });
  await call(toolset, 'mcp__web__ok');
  await toolset.close();
  expect(headers.every(({ authorization }) => authorization === 'Bearer sk-very-secret')).toBe(true);

  const refused = connectMcp({
    mcpServers: { web: { url: `${url}?key=another-secret`, headers: { Authorization: 'Bearer wrong-secret' } } },
  });
  await expect(refused).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE' });
  await expect(refused).rejects.toThrow(/refused the credentials \(HTTP 401\)/);
  await expect(refused).rejects.not.toThrow(/wrong-secret|another-secret/);
});

test('an address where nothing listens is an error that names the server and the cause', async () => {
  const server = await startHttpServer();
  await server.close();
  await expect(connectMcp({ mcpServers: { web: { url: server.url } } })).rejects.toThrow(
    `MCP server "web" (${server.url}) could not be reached (ECONNREFUSED)`,
  );
});

test.each([404, 400] as const)(
  'a session that the server has forgotten (%i) is opened again, and the call is made',
  async (status) => {
    const server = await started();
    const toolset = await connected({ web: { url: server.url } });
    server.forget(status);
    expect((await call(toolset, 'mcp__web__ok')).forLLM).toBe('ok');
    expect(server.requests.filter((request) => request === 'POST initialize')).toHaveLength(2);
  },
);

test('a response that is cut off gives a result at once', async () => {
  const { url } = await started();
  const toolset = await connected({ web: { url } });
  const result = await call(toolset, 'mcp__web__cut');
  expect(result).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN', outcome: 'unknown' });
  expect(result.forLLM).toContain('MCP server "web" went away before it had answered');
  expect(await call(toolset, 'mcp__web__broken')).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN' });
  expect((await call(toolset, 'mcp__web__ok')).forLLM).toBe('ok');
});

test('a response that is cut off affects no other call of the session', async () => {
  const { url, requests } = await started();
  const toolset = await connected({ web: { url } });
  const stop = new AbortController();
  const other = call(toolset, 'mcp__web__hangs', {}, { signal: stop.signal });
  await until(() => requests.includes('POST tools/call'));
  expect(await call(toolset, 'mcp__web__cut')).toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  expect((await call(toolset, 'mcp__web__ok')).forLLM).toBe('ok');
  stop.abort();
  expect(await other).toMatchObject({ code: 'TOOL_CANCELLED' });
  expect(requests.filter((request) => request === 'POST initialize')).toHaveLength(1);
});

test('an event stream that ends early is taken up where it ended', async () => {
  const { url, requests } = await started();
  const toolset = await connected({ web: { url } });
  expect((await call(toolset, 'mcp__web__resumed')).forLLM).toBe('resumed');
  expect(requests).toContain('GET 7');
});

test('an error page is a failed result with its status', async () => {
  const { url } = await started();
  const toolset = await connected({ web: { url } });
  const result = await call(toolset, 'mcp__web__html');
  expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(result.forLLM).toContain('HTTP 502');
});

test('an error answer without end is a failed result with its status, and its request is ended', async () => {
  verifies('mcp.client.bounded');
  const { url, requests } = await started();
  const toolset = await connected({ web: { url } });
  const before = process.memoryUsage().rss;
  const result = await call(toolset, 'mcp__web__pour_error');
  expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(result.forLLM).toContain('HTTP 500');
  await until(() => requests.includes('closed'));
  expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
});

test.each([
  ['mcp__web__pour', 'TOOL_FAILED', 'a message has more than 67108864 bytes'],
  ['mcp__web__pour_events', 'OUTCOME_UNKNOWN', 'went away before it had answered'],
])('an answer of %s without end is not kept in memory, and its request is ended', async (name, code, why) => {
  const { url, requests } = await started();
  const toolset = await connected({ web: { url } });
  const result = await call(toolset, name);
  expect(result).toMatchObject({ isError: true, code });
  expect(result.forLLM).toContain(why);
  await until(() => requests.includes('closed'));
  expect((await call(toolset, 'mcp__web__ok')).forLLM).toBe('ok');
});

test('an abort settles at once, sends the cancellation and ends the request', async () => {
  const { url, requests } = await started();
  const toolset = await connected({ web: { url } });
  const stop = new AbortController();
  const pending = call(toolset, 'mcp__web__hangs', {}, { signal: stop.signal });
  await until(() => requests.includes('POST tools/call'));
  stop.abort();
  expect(await pending).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'cancelled' });
  await until(() => requests.includes('POST notifications/cancelled') && requests.includes('closed'));
});

test('list_changed is followed over HTTP', async () => {
  verifies('mcp.client.changed');
  const { url, requests } = await started();
  const toolset = await connected({ web: { url } });
  await until(() => requests.includes('GET'));
  const before = toolset.list().length;
  await call(toolset, 'mcp__web__grow');
  await until(() => toolset.list().length === before + 1);
  expect(toolset.list().at(-1)?.name).toBe('mcp__web__new_12');
});

test('requests go through the fetch that is given', async () => {
  const { url } = await started();
  const methods: (string | undefined)[] = [];
  const toolset = await connected(
    { web: { url } },
    {
      fetch: (target, init) => {
        methods.push(init?.method);
        return fetch(target, init);
      },
    },
  );
  await call(toolset, 'mcp__web__ok');
  expect(methods).toContain('POST');
});

test('a connection that is closed under a request which only reads is no failure: it is sent once more, a call is not', async () => {
  verifies('mcp.client.toolset');
  const closed = new Set<string>();
  const asked: string[] = [];
  const closesFirst = (method: string, result: object) => (): object => {
    asked.push(method);
    if (closed.has(method)) return result;
    closed.add(method);
    throw new SocketClosed();
  };
  const { url } = await startJsonServer({
    'tools/list': closesFirst('tools/list', { tools: [{ name: 'ok', inputSchema: { type: 'object' } }] }),
    'tools/call': closesFirst('tools/call', { content: [{ type: 'text', text: 'ok' }] }),
  });
  const toolset = await connected({ a: { url } });
  expect(toolset.list().map(({ name }) => name)).toEqual(['mcp__a__ok']);
  expect(await call(toolset, 'mcp__a__ok')).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN' });
  expect(asked).toEqual(['tools/list', 'tools/list', 'tools/call']);
});
