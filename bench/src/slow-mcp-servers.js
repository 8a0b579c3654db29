// Serves MCP over HTTP, COUNT times, until its parent goes: `slow-mcp-servers.js COUNT SLOWEST_MS`. Each answers its list of tools later than the one before it.
import { packages } from './ours.js';

const { mcp } = await packages('mcp');
const [count, slowestMs] = process.argv.slice(2).map(Number);
const list = Object.freeze([{ name: 'add', description: 'Adds.', parameters: { type: 'object' }, effect: 'read' }]);
const servers = await Promise.all(
  Array.from({ length: count }, (_, at) =>
    mcp.serveHttp({
      list: () => list,
      listFor: () => new Promise((resolve) => setTimeout(resolve, (slowestMs * (at + 1)) / count, list)),
      prepare: ({ arguments: text }) => ({ tool: list[0], arguments: text, run: async () => ({ forLLM: '3' }) }),
    }),
  ),
);
process.send(servers.map(({ url }) => url));
process.on('disconnect', () => process.exit());
