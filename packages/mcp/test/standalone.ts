// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts.
import { connectMcp, mountTools, serveHttp } from '@kernel/mcp';
import { callTool, type Tool, type Toolset } from '@kernel/protocol';
import { McpServer } from '@modelcontextprotocol/server';

const add: Tool = { name: 'add', description: 'Adds.', parameters: { type: 'object' }, effect: 'read' };
const own: Toolset = {
  list: () => [add],
  prepare: ({ arguments: text }) => ({
    tool: add,
    arguments: text,
    run: async () => {
      const { a, b } = JSON.parse(text) as { a: number; b: number };
      return { forLLM: String(a + b) };
    },
  }),
};

// A toolset as a server:
const server = await serveHttp(own, { token: 'only-for-this-client' });

// Servers as a toolset, for `run()` or a registry:
const headers = { authorization: 'Bearer only-for-this-client' };
const theirs = await connectMcp({ mcpServers: { math: { url: server.url, headers } } });
const call = { type: 'tool-call', id: '1', name: 'mcp__math__add', arguments: '{"a":1,"b":2}' } as const;
const { forLLM } = await callTool(theirs, call, { signal: AbortSignal.timeout(5000) });
await theirs.close();
await server.close();

// The same tools on your own server, which may also have resources and prompts:
const undo = mountTools(new McpServer({ name: 'mine', version: '1.0.0' }), own);
undo();

// @ts-expect-error -- a port is a number
void (() => serveHttp(own, { port: 'http' }));
console.log(forLLM); // 3
