import { isToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Params, startJsonServer } from '../../fixtures/json-server.ts';
import { call, connected } from '../programs.ts';

const inputSchema = {
  type: 'object',
  properties: {
    queries: { type: 'array', items: { type: 'string' } },
    limit: { type: 'integer', maximum: 50 },
    range: { type: 'object', properties: { from: { type: 'string' } }, required: ['from'] },
  },
  required: ['queries'],
};

async function searching(schema: object = inputSchema) {
  const inputs: unknown[] = [];
  const { url } = await startJsonServer({
    'tools/list': () => ({ tools: [{ name: 'search', inputSchema: schema }] }),
    'tools/call': ({ arguments: input }: Params) => {
      inputs.push(input);
      return { content: [{ type: 'text', text: 'found' }] };
    },
  });
  return { toolset: await connected({ a: { url } }), inputs };
}

test.each([
  ['{"queries":"[\\"test\\"]"}', { queries: ['test'] }, '/queries'],
  ['{"queries":"test"}', { queries: ['test'] }, '/queries'],
  ['{"queries":["a"],"limit":null}', { queries: ['a'] }, '/limit'],
  ['{"queries":["a"],"limit":"5"}', { queries: ['a'], limit: 5 }, '/limit'],
  ['{"queries":["a"],"range":"{\\"from\\":\\"x\\"}"}', { queries: ['a'], range: { from: 'x' } }, '/range'],
])('a server gets %s repaired, and the model reads what was repaired', async (sent, expected, path) => {
  verifies('mcp.client.arguments');
  const { toolset, inputs } = await searching();
  const result = await call(toolset, 'mcp__a__search', sent);
  expect(inputs).toEqual([expected]);
  expect(result.repairs).toMatchObject([{ path }]);
  expect(result.forLLM).toMatch(/^found\n\(Repaired arguments: /);
});

test.each(['{"queries":7}', '{}', '{"queries":["a"],"limit":51}', '{"queries":["a"],"range":{}}'])(
  'a server never gets %s, and the model reads what is wrong',
  async (sent) => {
    verifies('mcp.client.arguments');
    const { toolset, inputs } = await searching();
    const result = await call(toolset, 'mcp__a__search', sent);
    expect([inputs, result.code]).toEqual([[], 'ARGUMENTS_INVALID']);
    expect(result.forLLM).toContain('"mcp__a__search" refused its arguments');
  },
);

test('what is approved is what is sent, and it is reported once', async () => {
  verifies('mcp.client.arguments', 'mcp.client.approved');
  const { toolset, inputs } = await searching();
  const request = { type: 'tool-call', id: '1', name: 'mcp__a__search', arguments: '{"queries":"test"}' } as const;
  const { signal } = new AbortController();
  const prepared = await toolset.prepare(request, { signal });
  if (isToolResult(prepared)) throw new Error(prepared.forLLM);
  expect(prepared.arguments).toBe('{"queries":["test"]}');
  const result = await prepared.run({ signal });
  expect([inputs, result.repairs?.length]).toEqual([[{ queries: ['test'] }], 1]);
});

test('what a schema does not mention is for the server to judge, and so is a schema that cannot be used', async () => {
  verifies('mcp.client.arguments');
  const open = await searching();
  await call(open.toolset, 'mcp__a__search', { queries: ['a'], other: null });
  expect(open.inputs).toEqual([{ queries: ['a'], other: null }]);
  const slow = await searching({ type: 'object', properties: { q: { type: 'string', pattern: '(a+)+$' } } });
  await call(slow.toolset, 'mcp__a__search', { q: `${'a'.repeat(40)}!` });
  expect(slow.inputs).toEqual([{ q: `${'a'.repeat(40)}!` }]);
});
