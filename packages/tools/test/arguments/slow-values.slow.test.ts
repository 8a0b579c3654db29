import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bindTool, createRegistry } from '../../src/index.ts';
import { costRatio, referenceWork } from '../support.ts';

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
test(
  'wrong arguments of a recursive schema are rejected for at most ten units of work, however deep',
  { timeout: 240_000 },
  async () => {
    verifies('tools.execute.schema');
    const registry = createRegistry([tool(expression)]);
    for (const depth of [16, 60, 200]) {
      const value = { e: nested(depth, 'x') };
      // oxlint-disable-next-line no-await-in-loop
      const result = await registry.execute('t', value);
      expect([result.code, result.forLLM.length <= 300]).toEqual(['ARGUMENTS_INVALID', true]);
      // oxlint-disable-next-line no-await-in-loop
      expect(await costRatio(() => registry.execute('t', value), referenceWork, 10)).toBeLessThan(10);
    }
  },
);

test('a recursive union still reports what is wrong at depth, and repairs it', async () => {
  verifies('tools.execute.schema');
  const registry = createRegistry([tool(expression)]);
  const wrong = await registry.execute('t', { e: nested(4, true) });
  expect(wrong.forLLM).toContain('/e/neg/neg/neg/neg: expected number or object, got true');
  expect((await registry.execute('t', { e: nested(40, '5') })).repairs).toMatchObject([{ rule: 'string-to-number' }]);
});

test('no text holds up a call, however long and however many there are', { timeout: 240_000 }, async () => {
  verifies('tools.execute.schema');
  const cost = (work: () => unknown): Promise<number> => costRatio(work, referenceWork, 60);
  const list = { type: 'array', items: { type: 'string', pattern: '.*foo.*bar.*x' } };
  const registry = createRegistry([tool({ type: 'object', properties: { list } })]);
  for (const length of [50, 500, 1_000, 60_000]) {
    const texts = Array.from({ length: 20 }, () => 'foobar'.repeat(length / 6));
    // oxlint-disable-next-line no-await-in-loop
    expect(await cost(() => registry.execute('t', { list: texts }))).toBeLessThan(60);
  }
});
