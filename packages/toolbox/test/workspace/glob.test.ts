import picomatch from 'picomatch';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { compileGlob } from '../../src/workspace/index.ts';

const GLOBS = [
  '*',
  '**',
  '*.ts',
  '**/*.ts',
  'src/*',
  'src/**',
  'src/**/*.ts',
  '**/test/**',
  'a/b',
  'a/*/c',
  'a/**/c',
  '**/a/**/b',
  '?',
  'a?',
  '??',
  '[abc]',
  '[a-c]x',
  '[^a-c]x',
  '*.{ts,js}',
  '{a,b}/c',
  '{a,b/c}',
  'a{,b}',
  '*a*b*',
  '.*',
  '**/.*',
  'a.*',
  '\\*',
  'a\\?',
  '*.min.*',
  '**/*',
  'src',
  '*/',
  'x/**/y/**/z',
  '{a,{b,c}}d',
  '[*]',
  'ä*',
];
const NAMES = [
  'a',
  'b',
  'c',
  'ab',
  'a.ts',
  'b.js',
  '.a',
  'src',
  'test',
  'x',
  'y',
  'z',
  'ax',
  'dx',
  'aXb',
  'ad',
  'bd',
  '*',
  'a?',
  'a.min.js',
  'ä1',
];

test('globs decide as those of a known library', () => {
  verifies('toolbox.glob');
  const paths = NAMES.flatMap((one) => [
    one,
    ...NAMES.flatMap((two) => [`${one}/${two}`, `${one}/${two}/c`, `src/${one}/${two}.ts`, `x/${one}/y/${two}/z`]),
  ]);
  const wrong: string[] = [];
  for (const glob of GLOBS.filter((each) => each !== '*/')) {
    const ours = compileGlob(glob);
    const theirs = picomatch(glob, { dot: true, noextglob: true });
    for (const path of paths) if (ours(path) !== theirs(path)) wrong.push(`${glob} on ${path}: ${ours(path)}`);
  }
  expect(wrong).toEqual([]);
  expect(['ax', 'dx'].map(compileGlob('[!a-c]x'))).toEqual([false, true]);
});

test('a glob without end is refused', () => {
  verifies('toolbox.glob');
  expect(() => compileGlob('{a,b}'.repeat(10))).toThrow('more than 500 globs');
  expect(() => compileGlob('a'.repeat(2001))).toThrow('longer than 2000 characters');
});
