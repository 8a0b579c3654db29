import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { inspect } from 'node:util';
import { KernelError, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectMcp, toMcpConfig } from '../../src/index.ts';

const SECRET = 'k3y-for-the-server';
const BARE = 'a-bare-name-that-is-a-key';

/** A server that repeats the address that it was asked at in all that it sends. `failAt`: the method that it answers with HTTP 500. */
async function startMirror(failAt?: string): Promise<string> {
  const server = createServer((request, response) => void answer(request, response, failAt));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp?api_key=${SECRET}&${BARE}`;
}

async function answer(request: IncomingMessage, response: ServerResponse, failAt?: string): Promise<void> {
  const own = `at ${request.url} and ${decodeURIComponent(request.url ?? '')}`;
  let body = '';
  for await (const piece of request) body += String(piece);
  const { id, method } = JSON.parse(body || '{}') as { readonly id?: number; readonly method?: string };
  if (method === failAt || method === undefined)
    return void response.writeHead(method === undefined ? 405 : 500).end(own);
  if (id === undefined) return void response.writeHead(202).end();
  const tool = { name: 'mirror', title: own, description: own, inputSchema: { type: 'object', description: own } };
  const results: Readonly<Record<string, object>> = {
    initialize: {
      protocolVersion: '2025-06-18',
      capabilities: { tools: {} },
      serverInfo: { name: own, version: '1' },
      instructions: own,
    },
    'tools/list': { tools: [tool] },
    'tools/call': { content: [{ type: 'text', text: own }], structuredContent: { own }, isError: true },
  };
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
}

const isClean = (value: unknown): boolean => {
  const text = `${inspect(value, { depth: 20, showHidden: true })}${JSON.stringify(value)}`;
  return !text.includes(SECRET) && !text.includes(BARE);
};

test('secrets in the query of a server’s address are in no list and no result, though the server repeats them', async () => {
  verifies('mcp.client.addressSecrets');
  const toolset = await connectMcp({ mcpServers: { a: { url: await startMirror() } } });
  onTestFinished(() => toolset.close());
  const tools = toolset.list();
  expect(tools[0]?.description).toContain('at /mcp?api_key=[redacted]&[redacted]');
  const progress: string[] = [];
  const result = await callTool(
    toolset,
    { type: 'tool-call', id: '1', name: tools[0]?.name ?? '', arguments: '{}' },
    { signal: new AbortController().signal, onProgress: (update) => void progress.push(update) },
  );
  expect(result.forLLM).toContain('[redacted]');
  expect([tools, result, progress, toolset.pins()].map(isClean)).toEqual([true, true, true, true]);
});

test.each(['initialize', 'tools/list'])('nor in the error of %s, its cause and its stack', async (failAt) => {
  verifies('mcp.client.addressSecrets');
  const url = await startMirror(failAt);
  const error = await connectMcp({ mcpServers: { a: { url } } }).then(
    () => undefined,
    (reason: unknown) => reason,
  );
  expect(KernelError.is(error) && error.cause instanceof Error).toBe(true);
  expect(inspect(error)).toContain('[redacted]');
  expect(isClean(error)).toBe(true);
});

test('nor in the result of a call that fails, nor in the error of a config', async () => {
  verifies('mcp.client.addressSecrets');
  const toolset = await connectMcp({ mcpServers: { a: { url: await startMirror('tools/call') } } });
  onTestFinished(() => toolset.close());
  const [tool] = toolset.list();
  const result = await callTool(
    toolset,
    { type: 'tool-call', id: '1', name: tool?.name ?? '', arguments: '{}' },
    { signal: new AbortController().signal },
  );
  expect(result.isError).toBe(true);
  expect(isClean(result)).toBe(true);
  for (const url of [
    `ftp://example.com/?api_key=${SECRET}`,
    `https://u:p@example.com/?${BARE}`,
    `//x?api_key=${SECRET}`,
  ])
    expect(() => toMcpConfig({ mcpServers: { a: { url } } })).toThrow(
      expect.not.objectContaining({ message: expect.stringMatching(new RegExp(`${SECRET}|${BARE}`)) }) as Error,
    );
});
