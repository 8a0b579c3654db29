import { expect, test } from 'vitest';
import { isToolName, mountedName } from '../src/index.ts';

test('a legal tool name is 1 to 64 of letters, digits, underscore and hyphen', () => {
  for (const name of ['a', 'read_file', 'A-1', '__proto__', 'constructor', 'x'.repeat(64)])
    expect(isToolName(name)).toBe(true);
  for (const name of ['', ' ', 'a b', 'a.b', 'é', 'a\n', 'x'.repeat(65)]) expect(isToolName(name)).toBe(false);
});

test('mounted names stay legal, within 64 characters, stable and one to one', () => {
  const long = 'x'.repeat(60);
  const originals = [`${long}_one`, `${long}_two`, 'a.b', 'a/b', 'a b', 'a_b', 'é', 'ü', '', '日本'];
  const names = originals.map((name) => mountedName('prefix', name));
  expect(new Set(names).size).toBe(originals.length);
  for (const name of names) expect(isToolName(name)).toBe(true);
  expect(names[5]).toBe('prefix_a_b');
  expect(names).toEqual(originals.map((name) => mountedName('prefix', name)));
  const many = Array.from({ length: 20_000 }, (_, index) => mountedName('p', `tool.number/${index}`));
  expect(new Set(many).size).toBe(20_000);
});
