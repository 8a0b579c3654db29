import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bindTool, createRegistry } from '../../src/index.ts';

const tool = (parameters: JsonSchema): ReturnType<typeof bindTool> =>
  bindTool({ name: 't', description: '', parameters }, () => 'ran');
const nested = (depth: number, inner: unknown, key = 'neg'): unknown => {
  let value = inner;
  for (let level = 0; level < depth; level += 1) value = { [key]: value };
  return value;
};
const e = { $ref: '#/$defs/e' };
const expression: JsonSchema = {
  type: 'object',
  properties: { e },
  $defs: {
    e: {
      anyOf: [
        { type: 'number' },
        { type: 'object', properties: { neg: e } },
        { type: 'object', properties: { abs: e, neg: e } },
      ],
    },
  },
};

test('a recursive union still reports what is wrong at depth, and repairs it', async () => {
  verifies('tools.execute.schema');
  const registry = createRegistry([tool(expression)]);
  const wrong = await registry.execute('t', { e: nested(4, true) });
  expect(wrong.forLLM).toContain('/e/neg/neg/neg/neg: expected number or object, got true');
  expect((await registry.execute('t', { e: nested(40, '5') })).repairs).toMatchObject([{ rule: 'string-to-number' }]);
});

test('no text holds up a call, however long and however many there are', async () => {
  verifies('tools.execute.schema');
  const list = { type: 'array', items: { type: 'string', pattern: '.*foo.*bar.*x' } };
  const registry = createRegistry([tool({ type: 'object', properties: { list } })]);
  for (const length of [50, 500, 1_000, 60_000]) {
    const texts = Array.from({ length: 20 }, () => 'foobar'.repeat(length / 6));
    expect((await registry.execute('t', { list: texts })).code).toBe('ARGUMENTS_INVALID');
  }
});
