import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { changeLines } from '../src/output/terminal/changes.ts';

test('a change is shown in lines, every character visible, tabs as they are', () => {
  verifies('cli.changes');
  expect(changeLines('-a\r\n+\tb\u200b\u001b[2J\n')).toEqual(['  -a', '  +\tb\\u200b\\x1b[2J']);
});

test('of a change with very many or very long lines the beginning is shown, with how much is left', () => {
  verifies('cli.changes');
  const lines = changeLines(`${'x'.repeat(1_000_000)}\n${'+\n'.repeat(100_000)}`);
  expect(lines).toHaveLength(201);
  expect(lines[0]).toMatch(/^ {2}x{400}… \(999600 more characters\)$/);
  expect(lines.at(-1)).toBe('  … 99801 more lines');
});
