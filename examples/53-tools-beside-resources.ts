// Our tools on an SDK server that also has a resource, and a wrapper that asks the client's user while a tool runs.
import assert from 'node:assert/strict';
import { isMcpCall, mountTools } from '@kernel/mcp';
import { errorResult, type Toolset, wrapCalls } from '@kernel/protocol';
import { bindTool, createRegistry } from '@kernel/tools';
import { Client, InMemoryTransport } from '@modelcontextprotocol/client';
import { McpServer } from '@modelcontextprotocol/server';

const registry = createRegistry([
  bindTool(
    { name: 'publish', description: 'Publishes the page.', effect: 'external', parameters: {} },
    () => 'Published.',
  ),
]);

/** Asks the client's user before every call. A client of 2026-07-28 calls again with the answer, so nothing may be changed before the question. */
function withConsent(inner: Toolset): Toolset {
  return wrapCalls(inner, (prepared, call, context) => ({
    ...prepared,
    async run(running) {
      if (!isMcpCall(context)) return prepared.run(running);
      const params = { message: `Run ${call.name}?`, requestedSchema: { type: 'object', properties: {} } } as const;
      const { consent } = await context.ask({ consent: { method: 'elicitation/create', params } });
      return consent.action === 'accept' ? prepared.run(running) : errorResult('TOOL_DENIED: the user refused.');
    },
  }));
}

const server = new McpServer({ name: 'site', version: '1.0.0' });
server.registerResource('page', 'site://page', { mimeType: 'text/plain' }, ({ href: uri }) => ({
  contents: [{ uri, text: 'A page.' }],
}));
const undo = mountTools(server, withConsent(registry)); // before connect

const answers = ['decline', 'accept'] as const;
let asked = 0;
const client = new Client({ name: 'example', version: '1.0.0' }, { capabilities: { elicitation: {} } });
client.setRequestHandler('elicitation/create', () => ({ action: answers[asked++] ?? 'decline', content: {} }));
const [clientSide, serverSide] = InMemoryTransport.createLinkedPair();
await server.connect(serverSide);
await client.connect(clientSide);

assert.equal((await client.listResources()).resources.length, 1);
const refused = await client.callTool({ name: 'publish' });
const done = await client.callTool({ name: 'publish' });
console.log(refused.content, done.content);
assert.equal(refused.isError, true);
assert.deepEqual(done.content, [{ type: 'text', text: 'Published.' }]);

undo();
await client.close();
