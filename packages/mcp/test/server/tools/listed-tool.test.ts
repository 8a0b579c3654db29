import type { Tool } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { toListedTool } from '../../../src/server/tools/listed-tool.ts';
import { connectTo, plainTool } from '../support.ts';

const parameters = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  $defs: { city: { type: 'string', minLength: 2 } },
  properties: { at: { $ref: '#/$defs/city' }, kind: { oneOf: [{ const: 'a' }, { type: 'integer' }] } },
  required: ['at'],
  additionalProperties: false,
  'x-own': [1, { deep: true }],
};

test('a client sees every tool in order, with its schema whole and its category, optionality and usage hint', async () => {
  verifies('mcp.server.list');
  const registry = createRegistry([
    bindTool(
      {
        name: 'weather',
        description: 'Tells the weather.',
        parameters,
        metadata: { category: 'research', optionality: 'optional', usageHint: 'When asked about rain.', tags: ['x'] },
      },
      () => '',
    ),
    bindTool({ name: '__proto__', description: '', parameters: { type: 'object' } }, () => ''),
  ]);
  const client = await connectTo(registry);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(['weather', '__proto__']);
  expect(tools[0]?.inputSchema).toEqual(parameters);
  expect(tools[0]).toMatchObject({
    description: 'Tells the weather.',
    _meta: { category: 'research', optionality: 'optional', usageHint: 'When asked about rain.' },
  });
  expect(tools[1]).not.toHaveProperty('_meta');
  expect(tools[1]).not.toHaveProperty('title');
});

test('title, output schema and the hints of each effect are listed', async () => {
  verifies('mcp.server.annotations');
  const outputSchema = { type: 'object', properties: { sum: { type: 'number' } }, required: ['sum'] };
  const effects = ['read', 'idempotent', 'write', 'external'] as const;
  const list = [
    plainTool('none', { title: 'Nothing', outputSchema }),
    ...effects.map((effect) => plainTool(effect, { effect })),
  ];
  const client = await connectTo(toToolset({ list: () => list, call: () => Promise.reject(new Error('never')) }));
  const { tools } = await client.listTools();
  expect(tools[0]).toMatchObject({ title: 'Nothing', outputSchema });
  const external = { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true };
  expect(Object.fromEntries(tools.map(({ name, annotations }) => [name, annotations]))).toEqual({
    none: external,
    read: { readOnlyHint: true, destructiveHint: false, idempotentHint: true },
    idempotent: { readOnlyHint: false, idempotentHint: true },
    write: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: false },
    external,
  });
});

test('the object that was bound is the one that the server describes, schema and all', () => {
  verifies('tool.identity');
  const binding = bindTool({ name: 'one', description: 'One.', parameters }, () => '');
  const registry = createRegistry([binding]);
  const [tool] = registry.list();
  expect(tool).toBe(binding.tool);
  expect(toListedTool(binding.tool)['inputSchema']).toBe(binding.tool.parameters);
  expect(toListedTool(binding.tool)).toBe(toListedTool(registry.list()[0] ?? binding.tool));
});

test('the toolset itself is asked each time, and gets no copy', async () => {
  verifies('tool.identity');
  const registry = createRegistry([bindTool({ name: 'one', description: 'One.', parameters: {} }, () => 'fine')]);
  const seen: Tool[] = [];
  const client = await connectTo({
    ...registry,
    list() {
      seen.push(...registry.list());
      return registry.list();
    },
  });
  await client.listTools();
  expect(seen[0]).toBe(registry.list()[0]);
});

test('a tool that cannot be JSON fails the list, with the reason', () => {
  const loop: Record<string, unknown> = { type: 'object' };
  loop['self'] = loop;
  expect(() => toListedTool(plainTool('loop', { parameters: loop }))).toThrow(/circular/i);
});

test('a hand-made tool whose schema says no type does not cost the client the whole list', async () => {
  verifies('mcp.server.list');
  const tool: Tool = { name: 'any', description: '', parameters: {} };
  const plain = plainTool('plain');
  const client = await connectTo(toToolset({ list: () => [tool, plain], call: async () => ({ forLLM: '' }) }));
  const { tools } = await client.listTools();
  expect(tools.map(({ inputSchema }) => inputSchema)).toEqual([{ type: 'object' }, plain.parameters]);
});
