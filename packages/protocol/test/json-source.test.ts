import { expect, test } from 'vitest';
import { createJsonSource, duplicateKeys } from '../src/index.ts';

interface Body {
  readonly calls: readonly { readonly args: object }[];
}

test('an object in which JSON.parse lost something has its text, another one has none', () => {
  const text =
    '{"id":1,"id":2,"calls":[{"args": {"a":1,"a":[2]} },{"args":{"a":1}},{"args":{"b":12345678901234567890}}]}';
  const { calls } = JSON.parse(text) as Body;
  const source = createJsonSource(text, JSON.parse(text), 'args');
  expect(calls.map(({ args }) => source.textOf(args))).toEqual([undefined, undefined, undefined]);
  const own = createJsonSource(text, { calls }, 'args');
  expect(calls.map(({ args }) => own.textOf(args))).toEqual([
    '{"a":1,"a":[2]}',
    undefined,
    '{"b":12345678901234567890}',
  ]);
  expect(own.textOf({ a: [2] })).toBeUndefined();
});

test('of two values of the key, the text of the last one counts', () => {
  const text = '{"args":{"a":1,"a":2},"args":{"b":1,"b":2}}';
  const parsed = JSON.parse(text) as { readonly args: object };
  expect(createJsonSource(text, parsed, 'args').textOf(parsed.args)).toBe('{"b":1,"b":2}');
  const exact = '{"args":{"a":1,"a":2},"args":{"b":1}}';
  const last = JSON.parse(exact) as { readonly args: object };
  expect(createJsonSource(exact, last, 'args').textOf(last.args)).toBeUndefined();
});

test('a key by the name of a method is data', () => {
  const text = '{"toString":{"args":{"a":1,"a":2}},"__proto__":{"args":{"b":1,"b":2}}}';
  const parsed = JSON.parse(text) as Record<string, { readonly args: object }>;
  const source = createJsonSource(text, parsed, 'args');
  const own = Object.getOwnPropertyDescriptor(parsed, '__proto__')?.value as { readonly args: object };
  expect(source.textOf(parsed['toString']?.args ?? {})).toBe('{"a":1,"a":2}');
  expect(source.textOf(own.args)).toBe('{"b":1,"b":2}');
});

test.each([
  ['{"a":1,"a":2,"a":3,"b":{"a":1}}', ['a']],
  ['{"a":{"b":1,"\\u0062":2},"c":1,"c":1}', ['b', 'c']],
  ['["a","a",{"a":"a:"}]', []],
  ['{"a":1,"a":', ['a']],
])('the keys that are there twice in %s are %j', (text, keys) => {
  expect(duplicateKeys(text)).toEqual(keys);
});
