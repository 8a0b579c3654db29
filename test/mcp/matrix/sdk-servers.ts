/** Servers of both versions of the official SDK with the tools of the matrix, and `revision`, which tells in which revision it was called. */
import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport, toNodeHandler } from '@modelcontextprotocol/node';
import { McpServer as McpServer1 } from '@modelcontextprotocol/sdk/server/mcp.js';
import { SSEServerTransport } from '@modelcontextprotocol/sdk/server/sse.js';
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js';
import {
  acceptedContent,
  createMcpHandler,
  inputRequired,
  McpServer as McpServer2,
  PROTOCOL_VERSION_META_KEY as VERSION_KEY,
} from '@modelcontextprotocol/server';
import * as z from 'zod';
import type { Revision } from '../lib/conformance-suite.ts';
import { FORM, QUESTION } from './our-tools.ts';

const SUM = { inputSchema: z.object({ a: z.number(), b: z.number() }), outputSchema: z.object({ sum: z.number() }) };
const text = (value: string) => ({ content: [{ type: 'text' as const, text: value }] });
const progress = (token: unknown) => ({
  method: 'notifications/progress' as const,
  params: { progressToken: token as string | number, progress: 1, message: 'half of it' },
});

/** Notes the revision that a handshake over this transport has agreed on. */
function noteRevision(transport: object): () => string {
  const { send } = transport as { readonly send: (message: object, ...rest: readonly unknown[]) => unknown };
  let revision = 'unknown';
  Object.assign(transport, {
    send(message: { readonly result?: { readonly protocolVersion?: string } }, ...rest: readonly unknown[]) {
      revision = message.result?.protocolVersion ?? revision;
      return send.call(transport, message, ...rest);
    },
  });
  return () => revision;
}

/** A server of version 1, for one connection. */
export function createServer1(): { connect(transport: Parameters<McpServer1['connect']>[0]): Promise<void> } {
  const server = new McpServer1({ name: 'sdk-1', version: '1' });
  let revision = (): string => 'unknown';
  server.registerTool('add', SUM, ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool('fail', {}, () => ({ ...text('It fails.'), isError: true }));
  server.registerTool('work', {}, async ({ sendNotification, _meta: meta }) => {
    await sendNotification(progress(meta?.progressToken));
    return text('Done.');
  });
  server.registerTool('ask', {}, async () => {
    const { content } = await server.server.elicitInput({ message: QUESTION, requestedSchema: FORM });
    return text(`Hello, ${String(content?.['name'])}!`);
  });
  server.registerTool('revision', {}, () => text(revision()));
  return {
    connect(transport) {
      revision = noteRevision(transport);
      return server.connect(transport);
    },
  };
}

/** A server of version 2, for one connection or one request. */
export function createServer2(revision: () => string = () => 'unknown'): McpServer2 {
  const server = new McpServer2({ name: 'sdk-2', version: '1' });
  server.registerTool('add', SUM, ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }));
  server.registerTool('fail', {}, () => ({ ...text('It fails.'), isError: true }));
  server.registerTool('work', {}, async ({ mcpReq }) => {
    await mcpReq.notify(progress(mcpReq['_meta']?.progressToken));
    return text('Done.');
  });
  server.registerTool('ask', {}, async ({ mcpReq }) => {
    const question = { message: QUESTION, requestedSchema: FORM };
    if (mcpReq.envelope === undefined) {
      const { content } = await mcpReq.elicitInput({ ...question, mode: 'form' });
      return text(`Hello, ${String(content?.['name'])}!`);
    }
    const answer = acceptedContent<{ name: string }>(mcpReq.inputResponses, 'who');
    if (answer === undefined) return inputRequired({ inputRequests: { who: inputRequired.elicit(question) } });
    return text(`Hello, ${answer.name}!`);
  });
  server.registerTool('revision', {}, ({ mcpReq }) => {
    const { [VERSION_KEY]: version = revision() }: { readonly [VERSION_KEY]?: string } = mcpReq.envelope ?? {};
    return text(version);
  });
  return server;
}

/** Connects a server of version 2 that speaks the revisions before 2026-07-28 alone. */
export function connectServer2(transport: Parameters<McpServer2['connect']>[0]): Promise<void> {
  return createServer2(noteRevision(transport)).connect(transport);
}

interface Served {
  readonly url: string;
  close(): Promise<void>;
}

/** Serves over streamable HTTP, in that revision alone. */
export async function serveSdkHttp(version: 1 | 2, revision: Revision): Promise<Served> {
  if (revision === '2026-07-28')
    return listen(toNodeHandler(createMcpHandler(() => createServer2(), { legacy: 'reject' })));
  if (version === 1) {
    const transport = new StreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
    await createServer1().connect(transport);
    return listen((request, response) => transport.handleRequest(request, response));
  }
  const transport = new NodeStreamableHTTPServerTransport({ sessionIdGenerator: randomUUID });
  await connectServer2(transport);
  return listen((request, response) => transport.handleRequest(request, response));
}

/** Serves a server of version 1 over HTTP+SSE. */
export function serveSdkSse(): Promise<Served> {
  let transport: SSEServerTransport | undefined;
  return listen(async (request, response) => {
    if (request.method === 'GET' && request.url === '/sse') {
      transport = new SSEServerTransport('/messages', response);
      return createServer1().connect(transport);
    }
    if (request.method === 'POST' && request.url.startsWith('/messages'))
      return transport?.handlePostMessage(request, response);
    response.writeHead(404).end();
    return undefined;
  }, '/sse');
}

async function listen(
  handle: (request: IncomingMessage & { method: string; url: string }, response: ServerResponse) => unknown,
  path = '/mcp',
): Promise<Served> {
  const http = createServer((request, response) => {
    void handle(request as IncomingMessage & { method: string; url: string }, response);
  });
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${path}`,
    async close() {
      const closed = new Promise<void>((resolve) => void http.close(() => resolve()));
      http.closeAllConnections();
      await closed;
    },
  };
}
