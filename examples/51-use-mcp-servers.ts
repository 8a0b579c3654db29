import { callTool } from '@kernel/protocol';
// The tools of an MCP server in an agent: the server is a child process, and ends with `close()`.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { collect, run } from '@kernel/agent';
import { connectMcp } from '@kernel/mcp';
import { scriptedProvider } from '@kernel/testing';

const server = fileURLToPath(new URL('servers/notes.ts', import.meta.url));
const tools = await connectMcp({ mcpServers: { notes: { command: process.execPath, args: [server] } } });
for (const { name, effect } of tools.list()) console.log(`${name}: ${effect}`); // mcp__notes__save: external, mcp__notes__read: external

// Instead of a model: it saves a note, reads it, and answers.
const provider = scriptedProvider([
  { calls: [{ name: 'mcp__notes__save', arguments: { title: 'milk', note: 'Buy two.' } }] },
  { calls: [{ name: 'mcp__notes__read', arguments: { title: 'milk' } }] },
  { text: 'You wanted two.' },
]);
const prompt = 'Note that I want two bottles of milk. How many was it?';
const result = await collect(
  run({ provider, model: 'any-model', messages: [{ role: 'user', content: prompt }], tools }),
);

const { signal } = new AbortController();
const missing = await callTool(
  tools,
  { type: 'tool-call', id: '3', name: 'mcp__notes__read', arguments: '{"title":"tea"}' },
  { signal },
);
await tools.close();

// The server says that `save` is idempotent and `read` read-only; with `trustHints: ['notes']` that would be their effects.
assert.deepEqual(
  tools.list().map(({ name, effect }) => `${name}: ${effect}`),
  ['mcp__notes__save: external', 'mcp__notes__read: external'],
);
assert.ok(result.reason === 'done' && result.answer === 'You wanted two.');
assert.deepEqual(
  result.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : [])),
  ['saved', 'Buy two.'],
);
assert.deepEqual(missing, { forLLM: 'no note "tea"', isError: true, code: 'TOOL_FAILED' });
