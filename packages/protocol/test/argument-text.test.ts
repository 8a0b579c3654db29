import { expect, test } from 'vitest';
import { unwrapArguments } from '../src/index.ts';

test.each([
  ['{"a":1}', '{"a":1}'],
  [JSON.stringify('{"a":1}'), '{"a":1}'],
  [` ${JSON.stringify(' {"a":1}')} `, ' {"a":1}'],
  [JSON.stringify(''), ''],
  [JSON.stringify('{"a":'), '{"a":'],
  ['"x"', '"x"'],
  ['"{cut', '"{cut'],
  ['[1]', '[1]'],
  ['', ''],
])('%j is unwrapped to %j', (text, expected) => {
  expect(unwrapArguments(text)).toBe(expected);
});
