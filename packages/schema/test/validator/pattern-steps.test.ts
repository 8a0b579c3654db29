import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { compileSchema, inspectSchema, resetMatchSteps } from '../../src/index.ts';

const ADDRESS = '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$';
/** No search in linear time knows back references, so these can be too much for a long text. */
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

const ZONES = Intl.supportedValuesOf('timeZone');
const ZONE = `(?:${ZONES.join('|').replaceAll('+', String.raw`\+`)})`;

test.each([
  ['quotes', '^(["\'])(?:\\\\.|(?!\\1).)*\\1$', `"${'it is said '.repeat(1000)}"`, '"it is said\''],
  [
    'dates',
    '^\\d{4}([-/])\\d{2}\\1\\d{2}(?:;\\d{4}([-/])\\d{2}\\2\\d{2})*$',
    `2026-11-28${';2026/11/29'.repeat(1000)}`,
    '2026-11-28;2026-11/29',
  ],
  [
    'long lines',
    '^(?:[^\\n]{0,5000}\\n)+$',
    `${'a line of words '.repeat(100)}\n`.repeat(100),
    'a line\nwithout an end',
  ],
  ['time zones', `^${ZONE}(?:,${ZONE})*$`, ZONES.join(','), `${ZONES.join(',')},Mars/Olympus`],
])('a pattern of %s is accepted, and checks ordinary texts', (_, pattern, good, bad) => {
  verifies('tools.execute.patterns');
  const schema = { type: 'string', pattern };
  expect(() => inspectSchema(schema, 'The schema')).not.toThrow();
  const validator = compileSchema(schema);
  resetMatchSteps();
  expect(validator.test(good)).toBe(true);
  expect(validator.test(bad)).toBe(false);
});

test('a pattern of too many groups within groups is not valid', () => {
  const pattern = `${'('.repeat(9000)}a${')'.repeat(9000)}`;
  expect(() => inspectSchema({ type: 'string', pattern }, 'The schema')).toThrow('is not a valid regular expression');
});
