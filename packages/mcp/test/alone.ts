// What a user of this package alone writes. Packed, installed, type-checked and run by scripts/pack-check.ts.
import { mountTools, serveHttp } from '@kernel/mcp';
import type { Toolset } from '@kernel/protocol';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';

const tools: Toolset = {
  list: () => [{ name: 'add', description: 'Adds.', parameters: { type: 'object' }, effect: 'read' }],
  call: async ({ arguments: text }) => {
    const { a, b } = JSON.parse(text) as { a: number; b: number };
    return { forLLM: String(a + b) };
  },
};

const server = await serveHttp(tools, { token: 'only-for-this-client' });
const client = new Client({ name: 'alone', version: '1.0.0' });
const requestInit = { headers: { authorization: 'Bearer only-for-this-client' } };
await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));
const { content } = await client.callTool({ name: 'add', arguments: { a: 1, b: 2 } });
console.log(content); // [ { type: 'text', text: '3' } ]
await client.close();
await server.close();

// The same tools on a server of your own, which may also have resources and prompts:
const undo = mountTools(new McpServer({ name: 'mine', version: '1.0.0' }), tools);
undo();

if (content[0]?.type !== 'text' || content[0].text !== '3') throw new Error(JSON.stringify(content));
// @ts-expect-error -- a server that other machines reach needs a port, not a name
void (() => serveHttp(tools, { port: 'http' }));
console.log('alone: ok');
