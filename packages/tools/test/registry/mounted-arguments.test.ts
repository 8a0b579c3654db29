import { type Tool, type ToolResult, type Toolset, wrapToolset, callTool } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bindTool, createRegistry, type RegistryOptions } from '../../src/index.ts';
import { context, preparedCall, toolCall } from '../support.ts';

const SEARCH: Tool = {
  name: 'search',
  description: 'Searches.',
  parameters: {
    type: 'object',
    properties: { queries: { type: 'array', items: { type: 'string' } }, limit: { type: 'integer' } },
    required: ['queries'],
  },
};

/** A toolset that runs what it gets, as one over a network does. */
function foreign(tool: Tool = SEARCH) {
  const heard: string[] = [];
  const list = [tool];
  const toolset = toToolset({
    list: () => list,
    async call(call): Promise<ToolResult> {
      heard.push(call.arguments);
      return { forLLM: 'found' };
    },
  });
  return { heard, toolset };
}

function mounted(toolset: Toolset, options: RegistryOptions = {}) {
  const registry = createRegistry([], options);
  registry.mount('remote', toolset);
  return registry;
}

test.each([
  ['{"queries":"[\\"test\\"]"}', '{"queries":["test"]}'],
  ['{"queries":"test"}', '{"queries":["test"]}'],
  ['{"queries":["a"],"limit":null}', '{"queries":["a"]}'],
  ['{"queries":["a"],"limit":"5"}', '{"queries":["a"],"limit":5}'],
  ['"{\\"queries\\":[\\"a\\"]}"', '{"queries":["a"]}'],
])('a mounted toolset gets %s repaired, with the report of a tool that is bound here', async (sent, expected) => {
  verifies('tools.mount.arguments');
  const { heard, toolset } = foreign();
  const result = await callTool(mounted(toolset), toolCall('remote_search', sent), context());
  expect(heard).toEqual([expected]);
  const bound = createRegistry([bindTool(SEARCH, () => 'found')]);
  expect(result).toEqual(await callTool(bound, toolCall('search', sent), context()));
  expect(result.repairs?.length).toBeGreaterThan(0);
});

test.each(['{"queries":7}', '{}', '{"queries":["a"],"limit":"many"}', '{"queries":', '[]'])(
  'a mounted toolset never gets %s, and the refusal says why',
  async (sent) => {
    verifies('tools.mount.arguments');
    const { heard, toolset } = foreign();
    const result = await callTool(mounted(toolset), toolCall('remote_search', sent), context());
    expect([heard, result.code]).toEqual([[], 'ARGUMENTS_INVALID']);
  },
);

test('what is shown of a mounted call is what its toolset gets', async () => {
  verifies('tools.mount.arguments');
  const { heard, toolset } = foreign();
  const registry = mounted(toolset);
  const call = toolCall('remote_search', '{"queries":"[\\"test\\"]"}');
  const prepared = await preparedCall(registry, call);
  expect([prepared.tool, prepared.arguments]).toEqual([registry.get('remote_search')?.tool, '{"queries":["test"]}']);
  expect(heard).toEqual([]);
  expect((await prepared.run(context())).repairs).toHaveLength(1);
  expect(heard).toEqual(['{"queries":["test"]}']);
});

test('a mounted registry validates its calls itself, once, by its own options, also behind a wrapper', async () => {
  verifies('tools.mount.arguments');
  let checked = 0;
  const inner = createRegistry(
    [
      bindTool(SEARCH, (input) => {
        checked += 1;
        return JSON.stringify(input);
      }),
    ],
    { repair: 'off' },
  );
  for (const toolset of [inner, inner.view(), wrapToolset(inner, {})]) {
    const registry = mounted(toolset);
    // oxlint-disable-next-line no-await-in-loop
    const result = await callTool(registry, toolCall('remote_search', '{"queries":"test"}'), context());
    expect(result.code).toBe('ARGUMENTS_INVALID');
  }
  expect(checked).toBe(0);
  const repairing = mounted(createRegistry([bindTool(SEARCH, () => 'found')]));
  const result = await callTool(repairing, toolCall('remote_search', '{"queries":"test"}'), context());
  expect(result.forLLM.match(/Repaired/g)).toHaveLength(1);
});

test.each([
  ['a pattern that can hang', { type: 'object', properties: { q: { pattern: '(a+)+$' } } }],
  ['a remote reference', { type: 'object', properties: { q: { $ref: 'https://schemas.invalid/q.json' } } }],
  ['a type that does not exist', { type: 'object', properties: { q: { type: 'text' } } }],
])('a schema with %s leaves the arguments to the toolset, which gets them as they are', async (_, parameters) => {
  verifies('tools.mount.arguments');
  const { heard, toolset } = foreign({ ...SEARCH, parameters: parameters });
  const sent = '{"q":"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!", "other":null}';
  await callTool(mounted(toolset), toolCall('remote_search', sent), context());
  expect(heard).toEqual([sent]);
});
