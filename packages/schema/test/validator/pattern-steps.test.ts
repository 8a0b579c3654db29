import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { compileSchema, resetMatchSteps } from '../../src/index.ts';

const ADDRESS = '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$';
/** A back reference makes it the only kind of pattern that a long text is too much for. */
const SLOW = '^(.*)(.*)\\1\\2x$';
const unread = 'foobar'.repeat(20_000);

test.each([20, 70, 250])('a thousand valid addresses of %i characters are valid', (length) => {
  verifies('tools.execute.patterns');
  const addresses = Array.from({ length: 1000 }, (_, at) => `${'n'.repeat(length)}${at}@mail.example.com`);
  const validator = compileSchema({ type: 'array', items: { type: 'string', pattern: ADDRESS } });
  resetMatchSteps();
  expect(validator.test(addresses)).toBe(true);
  expect(validator.issues([...addresses, `${'n'.repeat(length)}@`])).toMatchObject([{ path: '/1000' }]);
});

test.each([
  ['not', { type: 'string', not: { pattern: SLOW } }],
  ['if and else', { type: 'string', if: { not: { pattern: SLOW } }, else: false }],
  ['oneOf with another branch', { oneOf: [{ pattern: SLOW }, { type: 'string' }] }],
  ['dependent patternProperties', { type: 'object', patternProperties: { [SLOW]: false } }],
])('text that a pattern did not finish reading does not pass, under %s', (name, schema) => {
  verifies('tools.execute.patterns');
  const value = name.includes('Properties') ? { [unread]: 1 } : unread;
  resetMatchSteps();
  expect(compileSchema(schema).test(value)).toBe(false);
  resetMatchSteps();
  expect(compileSchema(schema).issues(value)).not.toEqual([]);
});

test.each([
  ['.*foo.*bar.*x$', `${'foobar'.repeat(20_000)}x`],
  ['^(?:[^@]+@)+[^@]+$', `${'a@'.repeat(20_000)}b`],
  ['^(a+)+$', 'a'.repeat(50_000)],
  ['^(?=.*\\d)(?=.*[a-z]).*$', `${'a'.repeat(50_000)}1`],
])('the pattern %s reads a text of any length to its end', (pattern, text) => {
  verifies('tools.execute.patterns');
  const validator = compileSchema({ pattern });
  expect(validator.test(text)).toBe(true);
  expect(validator.test(`${text}\n\n!@`)).toBe(false);
  expect(compileSchema({ not: { pattern } }).test(text)).toBe(false);
});
