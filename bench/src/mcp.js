// What a call over MCP costs: CPU of client and server together, through our client and through the official SDK's own, to the same server of ours.
// And how long it takes to connect 20 servers at once, the slowest of which takes a second, beside that one alone. Interleaved rounds; medians.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { measure, median } from './measure.js';
import { callTool, packages } from './ours.js';

const { mcp } = await packages('mcp');
const require = createRequire(new URL('../../packages/mcp/package.json', import.meta.url));
const sdk = await import(pathToFileURL(require.resolve('@modelcontextprotocol/client')).href);
const CALLS = 60;
const ROUNDS = 60;
/** The first rounds are those of a process that has not optimized its code yet. */
const WARM_UP = 15;
const MOST_OF_SDK = 1.1;
const SERVERS = 20;
const SLOWEST_MS = 1000;
const CONNECTS = 7;
const MOST_OF_SLOWEST = 1.1;
const input = { a: 1, b: 2 };
const number = { type: 'number' };
const parameters = { type: 'object', properties: { a: number, b: number }, required: ['a', 'b'] };
const list = Object.freeze([{ name: 'add', description: 'Adds.', parameters, effect: 'read' }]);
const server = await mcp.serveHttp({
  list: () => list,
  prepare: ({ arguments: text }) => ({ tool: list[0], arguments: text, run: async () => ({ forLLM: '3' }) }),
});

async function ours() {
  const toolset = await mcp.connectMcp({ mcpServers: { math: { url: server.url } } });
  const call = { type: 'tool-call', id: '1', name: 'mcp__math__add', arguments: JSON.stringify(input) };
  const { signal } = new AbortController();
  return { call: () => callTool(toolset, call, { signal }), close: () => toolset.close() };
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
  const order = Object.entries(subjects);
  for (const [name, { call }] of round % 2 === 0 ? order : order.toReversed()) {
    const { cpuMs } = await measure(async () => {
      for (let count = 0; count < CALLS; count += 1) await call();
    });
    if (round >= WARM_UP) times.get(name).push(cpuMs / CALLS);
  }
}
const base = median(times.get('sdk, 2026-07-28'));
for (const [name, all] of times)
  console.log(`${name.padEnd(20)} ${median(all).toFixed(2)} ms CPU a call, ${(median(all) / base).toFixed(2)} ×`);
report('a call, beside the SDK', median(times.get('ours')) / base, MOST_OF_SDK);
for (const { close } of Object.values(subjects)) await close();
await server.close();

// The servers are a process of their own, as they would be.
const slow = fork(new URL('slow-mcp-servers.js', import.meta.url), [SERVERS, SLOWEST_MS].map(String));
const [urls] = await once(slow, 'message');
const configs = urls.map((url, at) => [`s${at}`, { url }]);
const sets = { 'the slowest alone': configs.slice(-1), [`all ${SERVERS} at once`]: configs };
const waits = new Map(Object.keys(sets).map((name) => [name, []]));
for (let round = 0; round < CONNECTS; round += 1) {
  for (const [name, servers] of Object.entries(sets)) {
    const { value, wallMs } = await measure(() => mcp.connectMcp({ mcpServers: Object.fromEntries(servers) }));
    if (value.list().length !== servers.length) throw new Error(`${value.list().length} tools are listed.`);
    waits.get(name).push(wallMs);
    await value.close();
  }
}
const [alone, together] = [...waits.values()].map(median);
for (const [name, all] of waits) console.log(`${name.padEnd(20)} ${Math.round(median(all))} ms to connect`);
report('connecting, beside the slowest', together / alone, MOST_OF_SLOWEST);
slow.disconnect();

function report(what, ratio, most) {
  console.log(`${what}: ${ratio.toFixed(2)} × (target ${most})${ratio > most ? ', missed' : ''}`);
}
