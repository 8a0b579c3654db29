import { symlinkSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { textCuts } from '../rules/text-cuts.ts';
import { tree } from './fixture-tree.ts';

/** What the rule says of lines of a function that has texts, lists and constants. */
function problemsOf(lines: readonly string[], file = 'packages/tools/src/a.ts') {
  const compilerOptions = { module: 'nodenext', target: 'esnext', strict: true, noEmit: true, types: ['node'] };
  const head =
    'const MAX_SHOWN = 80, LIMIT = 40, HEAD = "#"; export function f(text: string, maybe: string | undefined, list: readonly string[],\nend: number, max: number, n: number, cap: number, maxChars: number, options: { max: number }, bytes: Buffer) {\n';
  const root = tree({
    'scripts/tsconfig.sources.json': JSON.stringify({ compilerOptions, include: ['../packages'] }),
    'package.json': '{"type":"module"}',
    [file]: `${head}return [\n${lines.map((line) => `${line},\n`).join('')}];\n}\n`,
  });
  symlinkSync(resolve(import.meta.dirname, '../node_modules'), join(root, 'node_modules'));
  return textCuts(root).map(({ line = 0 }) => lines[line - 4]);
}

describe('text-cuts', () => {
  test('refuses what may cut a character in two', () => {
    verifies('architecture.textCuts');
    const cuts = [
      'text.slice(0, 80)',
      'text.slice(0, MAX_SHOWN)',
      'text.slice(0, MAX_SHOWN - 1)',
      'text.slice(0, max)',
      'text.slice(end, end + MAX_SHOWN)',
      'text.slice(0, n)',
      'text.slice(0, cap)',
      'text.slice(0, maxChars)',
      'text.slice(0, options.max)',
      'text.slice(0, LIMIT)',
      'text.slice(0, LIMIT - HEAD.length)',
      'text.slice(0, Math.min(40, text.length))',
      'text.slice(0, Math.min(LIMIT, end))',
      'text.slice(-200)',
      'maybe?.slice(0, 80)',
      'text.trim().slice(0, 80)',
      'list.join("").slice(0, 80)',
      '`${text}`.slice(0, 80)',
      'text.substring(0, end)',
      'text.substr(0, 5)',
      "text.split('')",
    ];
    expect(problemsOf(cuts)).toEqual(cuts);
  });

  test('allows cuts at places that were found, of lists and bytes, and of texts that are ASCII by how they are made', () => {
    verifies('architecture.textCuts');
    const others = [
      'text.slice(0, end)',
      'text.slice(1)',
      'text.slice(0, -1)',
      'text.slice(text.indexOf("a"))',
      'text.slice(Math.max(0, end))',
      'text.slice(HEAD.length)',
      'text.slice(0, text.length - HEAD.length)',
      'text.slice(0, Math.min(end, text.indexOf("a")))',
      'text.slice(0, /a/.exec(text)?.index)',
      'list.slice(0, 80)',
      'list.slice(-MAX_SHOWN)',
      'bytes.slice(0, 80)',
      'new Date().toISOString().slice(0, 10)',
      'crypto.randomUUID().slice(0, 8)',
      "text.split('\\n')",
    ];
    expect(problemsOf(others)).toEqual([]);
    expect(problemsOf(['text.slice(0, 80)'], 'packages/internal/src/truncate.ts')).toEqual([]);
  });
});
