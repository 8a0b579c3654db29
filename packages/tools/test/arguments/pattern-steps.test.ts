import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { bindTool, createRegistry } from '../../src/index.ts';

const ADDRESS = '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$';
/** A back reference makes it the only kind of pattern that a long text is too much for. */
const SLOW = '^(.*)(.*)\\1\\2x$';
const unread = 'foobar'.repeat(20_000);
const call = (schema: object, value: unknown) =>
  createRegistry([
    bindTool({ name: 't', description: '', parameters: { type: 'object', properties: { a: schema } } }, () => 'ran'),
  ]).execute('t', { a: value });

test.each([20, 70, 250])('a thousand valid addresses of %i characters are accepted', async (length) => {
  verifies('tools.execute.patterns');
  const addresses = Array.from({ length: 1000 }, (_, at) => `${'n'.repeat(length)}${at}@mail.example.com`);
  const list = { type: 'array', items: { type: 'string', pattern: ADDRESS } };
  expect((await call(list, addresses)).isError).not.toBe(true);
  const wrong = await call(list, [...addresses, `${'n'.repeat(length)}@`]);
  expect(wrong.forLLM).toContain('/a/1000');
});

test.each([
  ['not', { type: 'string', not: { pattern: SLOW } }],
  ['if and else', { type: 'string', if: { not: { pattern: SLOW } }, else: false }],
  ['oneOf with another branch', { oneOf: [{ pattern: SLOW }, { type: 'string' }] }],
  ['dependent patternProperties', { type: 'object', patternProperties: { [SLOW]: false } }],
])('text that a pattern did not finish reading does not pass, under %s', async (name, schema) => {
  verifies('tools.execute.patterns');
  const value = name.includes('Properties') ? { [unread]: 1 } : unread;
  expect(await call(schema, value)).toMatchObject({ isError: true, code: 'ARGUMENTS_INVALID' });
});
