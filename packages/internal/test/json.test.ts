import { expect, test } from 'vitest';
import { canonicalJson, equalJson, isObject, parsePointer, pointerToken } from '../src/index.ts';

test('objects are neither null nor arrays', () => {
  expect([{}, Object.create(null), [], null, 'x', undefined].map((value) => isObject(value))).toEqual([
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('a pointer leads back to the keys it was made of, whatever they hold', () => {
  const keys = ['a/b', '~', '~1', '', '0', '__proto__'];
  expect(parsePointer(keys.map((key) => `/${pointerToken(key)}`).join(''))).toEqual(keys);
  expect(parsePointer('')).toEqual([]);
});

test('equal values have one canonical text, and different values do not', () => {
  const proto: unknown = JSON.parse('{"__proto__":1,"a":[1,{"c":null,"b":2}]}');
  expect(canonicalJson(proto)).toBe('{"__proto__":1,"a":[1,{"b":2,"c":null}]}');
  expect(canonicalJson(-0)).toBe(canonicalJson(0));
  expect(canonicalJson([1, 2])).not.toBe(canonicalJson([2, 1]));
});

test.each<readonly [unknown, unknown, boolean]>([
  [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
  [{ a: undefined }, { b: undefined }, false],
  [[1], { 0: 1 }, false],
  [0, -0, true],
  [{ a: 1 }, { a: 1, b: 1 }, false],
  [null, {}, false],
])('%j and %j: %s', (a, b, expected) => {
  expect(equalJson(a, b)).toBe(expected);
});
