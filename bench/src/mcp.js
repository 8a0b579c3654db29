// What a call over MCP costs: CPU of client and server together, through our client and through the official SDK's own, to the same server of ours. Interleaved rounds; medians.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { measure, median } from './measure.js';
import { packages } from './ours.js';

const { mcp } = await packages('mcp');
const require = createRequire(new URL('../../packages/mcp/package.json', import.meta.url));
const sdk = await import(pathToFileURL(require.resolve('@modelcontextprotocol/client')).href);
const CALLS = 60;
const ROUNDS = 31;
const input = { a: 1, b: 2 };
const number = { type: 'number' };
const parameters = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const list = Object.freeze([{ name: 'add', description: 'Adds.', parameters, effect: 'read' }]);
const server = await mcp.serveHttp({ list: () => list, call: async () => ({ forLLM: '3' }) });

async function ours() {
  const toolset = await mcp.connectMcp({ mcpServers: { math: { url: server.url } } });
  const call = { type: 'tool-call', id: '1', name: 'math_add', arguments: JSON.stringify(input) };
  const { signal } = new AbortController();
  return { call: () => toolset.call(call, { signal }), close: () => toolset.close() };
}

async function theirs(mode) {
  const client = new sdk.Client({ name: 'bench', version: '1' }, { versionNegotiation: { mode } });
  await client.connect(new sdk.StreamableHTTPClientTransport(new URL(server.url)));
  await client.listTools();
  return { call: () => client.callTool({ name: 'add', arguments: input }), close: () => client.close() };
}

const subjects = {
  ours: await ours(),
  'sdk, 2026-07-28': await theirs('auto'),
  'sdk, with a session': await theirs('legacy'),
};
const times = new Map(Object.keys(subjects).map((name) => [name, []]));
for (let round = 0; round < ROUNDS; round += 1) {
  for (const [name, { call }] of Object.entries(subjects)) {
    const { cpuMs } = await measure(async () => {
      for (let count = 0; count < CALLS; count += 1) await call();
    });
    times.get(name).push(cpuMs / CALLS);
  }
}
const base = median(times.get('sdk, 2026-07-28'));
for (const [name, all] of times)
  console.log(`${name.padEnd(20)} ${median(all).toFixed(2)} ms CPU a call, ${(median(all) / base).toFixed(2)} ×`);
for (const { close } of Object.values(subjects)) await close();
await server.close();
