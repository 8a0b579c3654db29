import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { slowLiterals, slowPatterns } from '../rules/slow-patterns.ts';
import { tree } from './fixture-tree.ts';

test.each([
  ['a group repeated inside a repetition', '^(a+)+$', ''],
  ['a repetition inside one, with an optional separator', '^(?:\\w+-?)*$', ''],
  ['two repetitions of white space in a row', '^\\s*\\n?\\s*x', ''],
  ['two repetitions of anything around a word', '^.*foo.*bar', ''],
  ['a lazy repetition before white space', '^(?:x[\\s\\S]*?\\s*)y', ''],
  ['an overlap after a choice', '^(?:\\d+|a)\\d*x', ''],
  ['white space at the end of a text', '\\s+$', ''],
  ['slashes at the end of a text', '\\/+$', 'g'],
  ['a tag that can begin inside itself', '<title[^>]*>', 'i'],
  ['a look-ahead over the whole rest', ',(?!.*;base64)', ''],
  ['a repetition after a word boundary', '\\beyJ[\\w-]{8,}\\.', 'g'],
])('%s is refused', (_, source, flags) => {
  verifies('architecture.linear');
  expect(slowLiterals('a.ts', `export const slow = /${source}/${flags};`)).toHaveLength(1);
});

test.each([
  ['^[a-z]+(?:-[a-z]+)*$', ''],
  ['\\s+', 'g'],
  ['^\\s*[{"]', ''],
  ['\\s*x', 'y'],
  ['(?<!\\/)\\/+$', ''],
  ['^-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:[eE][+-]?\\d+)?$', ''],
  ['"[^"]*"', 'g'],
  ['\\bsk-[A-Za-z0-9_-]{16,}', 'g'],
  ['[a-z]{1,64}-', ''],
  ['^(.+)$', 's'],
])('/%s/%s is accepted', (source, flags) => {
  verifies('architecture.linear');
  expect(slowLiterals('a.ts', `export const fast = /${source}/${flags};`)).toEqual([]);
});

test('patterns are found among divisions, strings, comments and templates', () => {
  const text = [
    '#!/usr/bin/env node',
    'const half = total / 2 / count; // not /a+a+$/',
    "const text = '/b+b+$/' + `x ${/c+c+$/.test(y) ? `/d/ ${1 / 2}` : { a: /[/]|e+$/g }} /f+f+$/`;",
    '/* /g+g+$/ */ /\\/+$/i.exec(list[0] / 3);',
  ].join('\n');
  expect(slowLiterals('a.ts', text).map(({ line }) => line)).toEqual([3, 3, 4]);
});

test('a file with a slow pattern is a problem that names the pattern, its line and what to do', () => {
  verifies('architecture.linear');
  const root = tree({
    'packages/tools/src/a.ts': 'const ok = /x/;\nconst slow = /^(a+)+$/;\n',
    'apps/prompt-agent/src/b.ts': 'export const slow = /\\s+$/;\n',
    'packages/tools/test/c.ts': 'const slow = /\\s+$/;\n',
  });
  expect(slowPatterns(root).map(({ file, line }) => `${file}:${line}`)).toEqual([
    'apps/prompt-agent/src/b.ts:1',
    'packages/tools/src/a.ts:2',
  ]);
  expect(slowPatterns(root)[1]?.message).toContain('/^(a+)+$/ may take quadratic time');
});
