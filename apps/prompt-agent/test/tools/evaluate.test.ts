import { expect, test } from 'vitest';
import { evaluate } from '../../src/tools/evaluate.ts';

test.each([
  ['1 + 2 * 3', 7],
  ['(1 + 2) * 3', 9],
  ['2 ^ 3 ^ 2', 512],
  ['2 ** 10', 1024],
  ['-2 ^ 2', -4],
  ['2 ^ -1', 0.5],
  ['10 % 3', 1],
  ['50%', 0.5],
  ['200 * 15%', 30],
  ['50% + 1', 1.5],
  ['100% - 20%', 0.8],
  ['7 % -3', 1],
  ['-7 % 3', -1],
  ['7 % +3', 1],
  ['7%3', 1],
  ['7 %3', 1],
  ['7 % (-3)', 1],
  ['(7 + 1) % -3 * 2', 4],
  ['(50)% + 1', 1.5],
  ['(7%) - 3', -2.93],
  ['2 * 7 % -(1 + 2)', 2],
  ['5 % -sqrt(9)', 2],
  ['50 % * 2', 1],
  ['5!', 120],
  ['-3! + 1', -5],
  ['sqrt(16) + cbrt(27)', 7],
  ['max(1, 2, 3) - min(4, 5)', -1],
  ['round(2.345, 2)', 2.35],
  ['log(1000) + ln(e) + log(8, 2)', 7],
  ['2 * pi', 2 * Math.PI],
  ['1e3 + .5', 1000.5],
  ['6 × 7 ÷ 2 − 1', 20],
  ['--1', 1],
])('%s is %d', (text, value) => {
  expect(evaluate(text)).toBeCloseTo(value, 10);
});

test.each([
  ['', 'ends unexpectedly'],
  ['1 +', 'ends unexpectedly'],
  ['1 2', 'position 3'],
  ['(1', 'ends unexpectedly'],
  ['1)', 'position 2'],
  ['1 / 0', 'divides by zero'],
  ['1 % 0', 'divides by zero'],
  ['1 % -0', 'divides by zero'],
  ['7%-3', '"%-" at position 2 could be a percentage or a remainder'],
  ['7 % - 3', '"%-" at position 3 could be'],
  ['50% +1', '"%+" at position 3 could be'],
  ['7 % -', '"%-" at position 3 could be'],
  ['sqrt(-1)', 'no finite result'],
  ['10 ^ 400', 'no finite result'],
  ['171!', '0 to 170'],
  ['process.exit(1)', 'position'],
  ['constructor', 'position 1'],
  ['toString()', 'position 1'],
  ['__proto__', 'not arithmetic'],
  ['sqrt()', 'position 6'],
  ['sqrt(1, 2)', 'takes 1 values, not 2'],
  ['1; 2', 'not arithmetic'],
  [`${'('.repeat(500)}1${')'.repeat(500)}`, 'nested'],
  ['-'.repeat(500), 'nested'],
])('%s is refused', (text, why) => {
  expect(() => evaluate(text)).toThrow(why);
});

test('a long expression is calculated', () => {
  expect(evaluate(Array(100_000).fill('1').join('+'))).toBe(100_000);
});
