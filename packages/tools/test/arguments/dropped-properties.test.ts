import { callTool, type ToolEffect, type ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { createRegistry, defineTool, type UnknownProperties } from '../../src/index.ts';
import { context, toolCall } from '../support.ts';

const forms = z.union([z.object({ path: z.string() }), z.object({ path: z.string(), dryRun: z.boolean() })]);
const kinds = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('move'), to: z.string() }),
  z.object({ kind: z.literal('remove'), dryRun: z.boolean() }),
]);
const node: z.ZodType = z.object({
  name: z.string(),
  get child() {
    return z.union([node, z.string()]).optional();
  },
});

const input = z.object({
  forms: forms.optional(),
  kinds: kinds.optional(),
  pair: z.tuple([z.string(), z.object({ a: z.number() })]).optional(),
  list: z.tuple([z.string()], z.object({ a: z.number() })).optional(),
  record: z.record(z.string(), z.object({ a: z.number() })).optional(),
  rest: z
    .object({ name: z.string() })
    .catchall(z.object({ a: z.number() }))
    .optional(),
  node: node.optional(),
  moved: z.union([z.string(), z.object({ from: z.string() }).transform(({ from }) => ({ source: from }))]).optional(),
});

async function run(effect: ToolEffect, args: object, unknownProperties?: UnknownProperties) {
  const inputs: unknown[] = [];
  const handler = (value: unknown): void => void inputs.push(value);
  const tool = defineTool({ name: 'send', description: '', effect, input, handler, unknownProperties });
  const result: ToolResult = await callTool(createRegistry([tool]), toolCall('send', args), context());
  return { result, inputs };
}

test.each([
  [{ forms: { path: 'a', dryRun: true } }, '/forms', 'dryRun'],
  [{ kinds: { kind: 'move', to: 'b', dryRun: true } }, '/kinds', 'dryRun'],
  [{ pair: ['a', { a: 1, dryRun: true }] }, '/pair/1', 'dryRun'],
  [{ list: ['a', { a: 1 }, { a: 1, dryRun: true }] }, '/list/2', 'dryRun'],
  [{ record: { x: { a: 1, dryRun: true } } }, '/record/x', 'dryRun'],
  [{ rest: { name: 'n', x: { a: 1, dryRun: true } } }, '/rest/x', 'dryRun'],
  [{ node: { name: 'a', child: { name: 'b', dryRun: true } } }, '/node/child', 'dryRun'],
])(
  'what a schema library would drop of %j is refused, and a tool that only reads says so',
  async (args, path, name) => {
    verifies('tools.execute.extra.refused');
    for (const effect of ['write', 'external'] as const) {
      // oxlint-disable-next-line no-await-in-loop
      const { result, inputs } = await run(effect, args);
      expect([result.code, inputs]).toEqual(['ARGUMENTS_INVALID', []]);
      expect(result.forLLM).toContain(`${path}: no property "${name}"`);
    }
    const read = await run('read', args);
    expect(read.inputs).toHaveLength(1);
    expect(read.result.forLLM).toContain(`Unknown argument ${path}/${name} was left out.`);
    const asIs = await run('write', args, 'passthrough');
    expect(asIs.inputs).toHaveLength(1);
  },
);

test.each([
  [{ forms: { path: 'a' } }, { forms: { path: 'a' } }],
  [{ kinds: { kind: 'remove', dryRun: true } }, { kinds: { kind: 'remove', dryRun: true } }],
  [
    { pair: ['a', { a: 1 }], list: ['a'] },
    { pair: ['a', { a: 1 }], list: ['a'] },
  ],
  [
    { record: { x: { a: 1 } }, rest: { name: 'n', x: { a: 1 } } },
    { record: { x: { a: 1 } }, rest: { name: 'n', x: { a: 1 } } },
  ],
  [
    { node: { name: 'a', child: { name: 'b', child: 'c' } } },
    { node: { name: 'a', child: { name: 'b', child: 'c' } } },
  ],
  [{ moved: { from: 'a' } }, { moved: { source: 'a' } }],
])('%j, of which nothing is dropped, runs', async (args, expected) => {
  verifies('tools.execute.extra.refused');
  const { result, inputs } = await run('write', args);
  expect(result.forLLM).toBe('done');
  expect(inputs).toEqual([expected]);
});

test('a note that names some of many unknown arguments says how many more there are', async () => {
  verifies('tools.execute.extra');
  const args = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`x${at}`, at]));
  const { result } = await run('read', args);
  expect(result.forLLM).toContain('And 4 more unknown arguments were left out.');
});
