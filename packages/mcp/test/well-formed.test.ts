import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough } from 'node:stream';
import { toolResult, callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectMcp, serveHttp, serveStdio } from '../src/index.ts';
import { hello, openSession, rpc, send } from './server/raw.ts';
import { answering } from './server/support.ts';

const HALF = 'half \ud83d';
const signal = new AbortController().signal;
const TOOLSET = answering({ ...toolResult(HALF), data: { a: HALF } }, { description: HALF });
const hasHalf = (json: string): boolean => /\\ud[89a-f]/i.test(json.replaceAll('\\\\', ''));

test('a server sends no half of a surrogate pair, over HTTP and stdio', async () => {
  verifies('text.wellFormed');
  const server = await serveHttp(TOOLSET);
  onTestFinished(() => server.close());
  const session = await openSession(server.url);
  const listed = await send(server.url, rpc('tools/list'), session);
  const called = await send(server.url, rpc('tools/call', { name: 'answer', arguments: {} }), session);
  const unknown = await send(server.url, rpc('tools/call', { name: HALF, arguments: {} }), session);
  for (const { text } of [listed, called]) {
    expect(text).toContain('half \uFFFD');
    expect(hasHalf(text)).toBe(false);
  }
  expect(hasHalf(unknown.text)).toBe(false);

  const [stdin, stdout] = [new PassThrough(), new PassThrough()];
  const stdio = serveStdio(TOOLSET, { stdin, stdout });
  onTestFinished(() => stdio.close());
  let written = '';
  const answered = new Promise<void>((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      written += chunk.toString();
      if (written.includes('"id":2')) resolve();
    });
  });
  stdin.write(`${rpc('initialize', hello())}\n`);
  stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`);
  stdin.write(`${rpc('tools/call', { name: 'answer', arguments: {} }, 2)}\n`);
  await answered;
  expect(hasHalf(written)).toBe(false);
});

test('a client sends no half of a surrogate pair', async () => {
  verifies('text.wellFormed');
  const bodies: string[] = [];
  const http = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (piece: string) => (body += piece));
    request.on('end', () => {
      bodies.push(body);
      const { id, method } = JSON.parse(body || '{}') as { readonly id?: number; readonly method?: string };
      const results: Readonly<Record<string, object>> = {
        initialize: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 's', version: '1' },
        },
        'tools/list': { tools: [{ name: 'a', description: 'A.', inputSchema: { type: 'object' } }] },
        'tools/call': { content: [{ type: 'text', text: 'ok' }] },
      };
      if (method === undefined) return void response.writeHead(405).end();
      if (id === undefined) return void response.writeHead(202).end();
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result: results[method] ?? {} }));
    });
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void http.close());
  const url = `http://127.0.0.1:${(http.address() as AddressInfo).port}/mcp`;
  const toolset = await connectMcp({ mcpServers: { s: { url } } });
  onTestFinished(() => toolset.close());
  const [tool] = toolset.list();
  const args = String.raw`{"x":"half \ud83d"}`;
  const result = await callTool(
    toolset,
    { type: 'tool-call', id: '1', name: tool?.name ?? '', arguments: args },
    { signal },
  );
  expect(result.forLLM).toMatch(/^ok\n\(Repaired arguments: .*half-surrogate/);
  const body = bodies.find((each) => each.includes('tools/call')) ?? '';
  expect(body).toContain('half \uFFFD');
  expect(hasHalf(body)).toBe(false);
});
