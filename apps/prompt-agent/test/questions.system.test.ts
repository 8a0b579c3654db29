import { execFileSync } from 'node:child_process';
import { verifies } from '@kernel/testing';
import { describe, expect, test, vi } from 'vitest';
import { shellQuote } from '../src/questions/shell-quote.ts';
import { plain } from './terminals.ts';
import { asking, count, LISTS } from './questions.support.ts';

describe('a command in a question', () => {
  test.skipIf(process.platform === 'win32')('is what bash reads as the same arguments', () => {
    verifies('cli.questions.command');
    for (const list of LISTS) {
      const script = `printf '%s\\0' ${shellQuote(['x', ...list])}`;
      const read = execFileSync('/bin/bash', ['--norc', '-c', script], {
        encoding: 'utf8',
        env: { LC_ALL: 'C.UTF-8' },
      });
      expect(read.split('\0').slice(1, -1)).toEqual(list);
    }
  });
});

describe('a question on a terminal', () => {
  test('says in red that a command is not isolated', async () => {
    verifies('cli.questions.command');
    const { terminal, decided } = asking(null);
    await vi.waitFor(() => expect(terminal.raw()).toContain('[y/N]'), 30_000);
    expect(plain(terminal.raw())).toContain('$ make\n');
    expect(terminal.raw()).toContain('\u001B[31mnot isolated\u001B[0m');
    terminal.stdin.write('n\n');
    expect(await decided).toMatchObject({ decision: 'deny' });
  });

  test('takes Enter for no answer, and asks again', async () => {
    verifies('cli.questions.enter');
    const { terminal, decided } = asking('bubblewrap');
    await vi.waitFor(() => expect(count(terminal.raw())).toBe(1), 30_000);
    terminal.stdin.write('\n');
    await vi.waitFor(() => expect(count(terminal.raw())).toBe(2), 30_000);
    terminal.stdin.write(' \n');
    await vi.waitFor(() => expect(count(terminal.raw())).toBe(3), 30_000);
    terminal.stdin.write('y\n');
    expect(await decided).toEqual({ decision: 'allow' });
  });
});
