import { verifies } from '@kernel/testing';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { environmentAt, workspace } from './program.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

test('a process whose stdin stays open and silent answers and ends', async () => {
  verifies('cli.ask.stdin.open');
  const cwd = workspace();
  const child = spawn(process.execPath, [CLI, '-q', '--provider', 'offline', '1+1'], {
    cwd,
    env: environmentAt(cwd),
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  let answer = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  expect(await once(child, 'close')).toEqual([0, null]);
  expect([answer, child.stdin.destroyed]).toEqual(['2\n', true]);
});
