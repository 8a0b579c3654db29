import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bindTool, createRegistry } from '../../src/index.ts';
import { caught } from '../support.ts';

const bind = (parameters: unknown): ReturnType<typeof bindTool> =>
  bindTool({ name: 'a', description: '', parameters: parameters as never }, (input) => input);

test.each([
  ['a root that is no object', { type: 'string' }, '/type'],
  ['a root that may be no object', { type: ['object', 'null'] }, '/type'],
  ['a schema that is a list', [], ''],
  ['a schema that is no schema', 'object', ''],
  ['a property that is no schema', { properties: { a: 'string' } }, '/properties'],
])('%s is rejected when the tool is bound, with its name and a JSON pointer', (_, parameters, pointer) => {
  verifies('tools.define.schema.invalid');
  const error = caught(() => bind(parameters));
  expect(error.code).toBe('TOOL_SCHEMA_INVALID');
  expect(error.message).toContain('Tool "a", parameters');
  expect(error.data?.['pointer']).toBe(pointer);
});

test(
  'a pattern that is quadratic at worst is allowed, and a text too long for it is refused',
  { timeout: 240_000 },
  async () => {
    verifies('tools.execute.schema', 'tools.define.schema.invalid');
    const registry = createRegistry([bind({ properties: { a: { type: 'string', pattern: '^.+/.+$' } } })]);
    expect((await registry.execute('a', { a: `${'a/'.repeat(50_000)}b` })).isError).toBeUndefined();
    const long = { a: `${'/'.repeat(500_000)}\n` };
    expect((await registry.execute('a', long)).code).toBe('ARGUMENTS_INVALID');
  },
);
