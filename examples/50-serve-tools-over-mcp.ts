// The tools of a registry for any MCP client: over HTTP on this machine, with a token, here driven by the SDK's own client.
import assert from 'node:assert/strict';
import { serveHttp } from '@kernel/mcp';
import { bindTool, createRegistry, defineTool } from '@kernel/tools';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import * as z from 'zod';

const registry = createRegistry([
  defineTool({
    name: 'to_fahrenheit',
    description: 'Converts a temperature from Celsius to Fahrenheit.',
    effect: 'read',
    input: z.object({ celsius: z.number() }),
    metadata: { category: 'utility' },
    handler: ({ celsius }, { onProgress }) => {
      onProgress?.('calculating');
      return { fahrenheit: (celsius * 9) / 5 + 32 };
    },
  }),
]);

const token = crypto.randomUUID();
const server = await serveHttp(registry, { name: 'weather', version: '1.0.0', token }); // port 0: any free port
console.log(server.url);

const { promise: changed, resolve: onChanged } = Promise.withResolvers<unknown>();
const client = new Client({ name: 'example', version: '1.0.0' }, { listChanged: { tools: { onChanged } } });
const requestInit = { headers: { authorization: `Bearer ${token}` } };
await client.connect(new StreamableHTTPClientTransport(new URL(server.url), { requestInit }));

const [tool] = (await client.listTools()).tools;
console.log(tool?.name, tool?.annotations);
assert.deepEqual(tool?.inputSchema, registry.list()[0]?.parameters);

const progress: (string | undefined)[] = [];
const fine = await client.callTool(
  { name: 'to_fahrenheit', arguments: { celsius: 20 } },
  { onprogress: ({ message }) => void progress.push(message) },
);
assert.deepEqual(fine.structuredContent, { fahrenheit: 68 });
assert.deepEqual(progress, ['calculating']);

// A model's mistake is a result that it can read; a client's mistake is a protocol error.
const wrong = await client.callTool({ name: 'to_fahrenheit', arguments: { celsius: 'warm' } });
assert.equal(wrong.isError, true);
await assert.rejects(client.callTool({ name: 'to_farenheit' }), { code: -32_602 });

registry.register(
  bindTool({ name: 'now', description: 'Tells the time.', parameters: {} }, () => new Date().toISOString()),
);
await changed;
assert.equal((await client.listTools()).tools.length, 2);

await client.close();
await server.close();
