import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { connectMcp } from '../../../src/index.ts';

/**
 * A server that writes `members` of its own into the message, the result, and parts of the results of these methods.
 */
const SERVER = `
const members = JSON.parse(process.env.MEMBERS);
require('node:readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (id === undefined) return;
  const results = {
    initialize: {
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: { ...members.tools }, ...members.capabilities },
      serverInfo: { name: 's', version: '1', ...members.info },
    },
    'tools/list': { tools: [{ name: 't', inputSchema: { type: 'object' } }] },
    'tools/call': { content: [{ type: 'text', text: 'good' }] },
  };
  const result = { ...results[method], ...members.result };
  process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result, ...members.message }) + '\\n');
});`;

test.each([
  [{ message: { error: null } }],
  [{ result: { _meta: null } }],
  [{ result: { _meta: [] } }],
  [{ result: { nextCursor: null, structuredContent: null, isError: null, instructions: null } }],
  [{ capabilities: { prompts: null, experimental: null }, tools: { listChanged: null }, info: { title: null } }],
])('a server that writes null for what it leaves out is used like any other: %j', async (members) => {
  verifies('mcp.client.readable');
  const env = { MEMBERS: JSON.stringify(members) };
  const mcp = await connectMcp({ mcpServers: { s: { command: process.execPath, args: ['-e', SERVER], env } } });
  onTestFinished(() => mcp.close());
  const call = { type: 'tool-call', id: '1', name: 'mcp__s__t', arguments: '{}' } as const;
  expect((await callTool(mcp, call, { signal: new AbortController().signal })).forLLM).toBe('good');
});
