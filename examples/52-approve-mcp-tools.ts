// A server that changes the description of a tool: the change is reported, and the tool is quarantined until it is approved.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { connectMcp, type McpToolsChange } from '@kernel/mcp';

const server = fileURLToPath(new URL('servers/notes.ts', import.meta.url));
const config = { mcpServers: { notes: { command: process.execPath, args: [server] } } };

// The first run: a person reads the list, and its hashes are saved.
const first = await connectMcp(config);
const saved = first.pins();
await first.close();

// A later run: `read` is unchanged, and the description of `save` no longer matches its hash.
const pins = { notes: { ...saved['notes'], save: 'the hash of another description' } };
const changes: McpToolsChange[] = [];
const later = await connectMcp(config, {
  pins,
  approveTools(change) {
    changes.push(change);
    for (const { name, after } of change.changed)
      console.log(`${change.server}: ${name} says now: ${after.description}`);
    return false; // ask a person instead
  },
});
const names = later.list().map(({ name }) => name);
await later.close();

assert.deepEqual(names, ['mcp__notes__read']);
assert.deepEqual(
  changes.map(({ changed }) => changed.map(({ name }) => name)),
  [['save']],
);
