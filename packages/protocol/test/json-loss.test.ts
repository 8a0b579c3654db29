import { expect, test } from 'vitest';
import { findJsonLoss, jsonLossError, parseNumber } from '../src/index.ts';

test.each([
  ['{"a":1,"a":2}', { kind: 'duplicate-key', path: '/a', text: 'a' }],
  ['{"a":[9007199254740993]}', { kind: 'number', path: '/a/0', text: '9007199254740993' }],
  ['1e-400', { kind: 'number', path: '', text: '1e-400' }],
  [`0.${'0'.repeat(400)}1`, { kind: 'number', path: '', text: `0.${'0'.repeat(400)}1` }],
  ['[0.0e-9, "pre-1e-400", 1e-7]', undefined],
  ['{"a":{"b":1},"b":2}', undefined],
])('what JSON.parse would lose of %s is found', (text, loss) => {
  expect(findJsonLoss(text, JSON.parse(text), true)).toEqual(loss);
});

test('a duplicate key is no loss where the last one is to count', () => {
  expect(findJsonLoss('{"a":1,"a":2}', { a: 2 }, false)).toBeUndefined();
});

test('the error of a loss names the tool, the value and its place, shortened', () => {
  const error = jsonLossError({ kind: 'number', path: `/${'x'.repeat(500)}`, text: '9'.repeat(500) }, 'pay');
  expect(error).toMatchObject({ code: 'ARGUMENTS_INVALID', data: { tool: 'pay' } });
  expect(error.message.length).toBeLessThan(200);
});

test('a text is a number only if it spells that number exactly', () => {
  expect([parseNumber('1.50'), parseNumber('1e-400'), parseNumber('0x10')]).toEqual([1.5, undefined, undefined]);
});
