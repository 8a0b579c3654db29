import { expect, test } from 'vitest';
import { nearest } from '../src/index.ts';

test.each([
  ['read_flie', ['list_files', 'read_file'], ['read_file']],
  ['read', ['red', 'list', 'read_file', 'read'], ['read', 'red', 'read_file']],
  ['baseURL', ['base_url', 'token'], ['base_url']],
  ['xyz', ['weather'], []],
  ['get_weathr', ['get', 'get_weather'], ['get_weather']],
  ['openai-response', ['openai', 'openai-responses'], ['openai-responses']],
  ['nope', ['name'], []],
  ['model_name', ['name'], []],
  ['', ['weather'], []],
  ['x', ['y', 'xy', 'ax'], []],
  ['ab', ['a', 'ac', 'ba', 'abc', 'AB'], ['AB']],
  ['abc', ['ab', 'abd'], ['abd', 'ab']],
])('near %j in %j: %j', (name, known, expected) => {
  expect(nearest(name, known)).toEqual(expected);
});

test('only the first 64 characters of a name count, so that a name of a megabyte costs no more than a short one', () => {
  const known = Array.from({ length: 1000 }, (_, index) => `${index}`.repeat(1000));
  expect(nearest('x'.repeat(1_000_000), known)).toEqual([]);
  expect(nearest('x'.repeat(1_000_000), ['x'.repeat(70)])).toEqual(['x'.repeat(70)]);
});
