import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { coerceValue, compileSchema, matchWithTimeout } from '../../src/index.ts';
import { caught, inspect } from '../support.ts';

const withPattern = (pattern: string): JsonSchema => ({
  type: 'object',
  properties: { a: { type: 'string', pattern } },
});
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

test('a recursive union still reports what is wrong at depth, and takes what is right', () => {
  verifies('tools.execute.schema');
  const validator = compileSchema(inspect(expression));
  expect(validator.issues({ e: nested(4, true) })).toMatchObject([{ path: '/e/neg/neg/neg/neg' }]);
  expect(validator.test({ e: nested(400, 5) })).toBe(true);
  expect(coerceValue({ e: nested(40, '5') }, validator).repairs).toMatchObject([{ rule: 'string-to-number' }]);
});

test.each([
  '^(é+)+x',
  '^(ж+)+x',
  '^(\\u4e00+)+x',
  '^([\\u00e0-\\u00ff]+)+$',
  '^(\\p{L}+)+x',
  '^hello (é+)+x',
  '^(#+)+x',
  '(~|~~)+$',
  '^(?:ab|cd|abcd)+$x',
])('the pattern %s, whose time grows exponentially on its own characters, is rejected', (pattern) => {
  verifies('tools.define.schema.invalid');
  expect(caught(() => inspect(withPattern(pattern))).data?.['pointer']).toBe('/properties/a/pattern');
});

test('everyday patterns are accepted, whatever else the machine does', () => {
  const everyday = [
    '.*\\.(png|jpg)$',
    '^\\S+@\\S+\\.\\S+$',
    '.+@.+\\..+',
    '.*foo.*bar.*',
    '^.*-.*-.*$',
    '^.+/.+/.+$',
    '(.*)=(.*);(.*)$',
    '^(.+),(.+),(.+),(.+)$',
    '^[a-z]+(_[a-z]+)*$',
    '^(?=.*[A-Z])(?=.*\\d)(?=.*[a-z]).{8,}$',
    '^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.(?!$)|$)){4}$',
    '^P(?:\\d+Y)?(?:\\d+M)?(?:\\d+D)?(?:T(?:\\d+H)?(?:\\d+M)?(?:\\d+(?:\\.\\d+)?S)?)?$',
    '^(?:.+,){5}x$',
  ];
  for (const pattern of everyday) expect(() => inspect(withPattern(pattern))).not.toThrow();
});

test('no text holds up a validation, however long, not even with a pattern that was never tried', () => {
  verifies('tools.execute.schema');
  const untried = compileSchema({ pattern: '^(a+)+$' });
  expect(untried.test(`${'a'.repeat(40)}!`)).toBe(false);
});

test.each([
  ['got no processor', 0, 5],
  ['used the processor', 1_000_000, 1],
])('a match that %s all the while, so that %i µs pass, is interrupted %i times', (_, usedEachTime, tries) => {
  verifies('tools.execute.schema');
  let user = 0;
  const usage = vi.spyOn(process, 'cpuUsage').mockImplementation(() => ({ user: (user += usedEachTime), system: 0 }));
  onTestFinished(() => usage.mockRestore());
  expect(matchWithTimeout({ pattern: /^(a+)+$/, texts: [`${'a'.repeat(60)}!`] }, 5)).toBeUndefined();
  expect(usage).toHaveBeenCalledTimes(2 * tries);
});
