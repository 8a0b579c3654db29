import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';

const PROGRAM = new URL('../fixtures/counter.ts', import.meta.url).pathname;

test(
  'of processes that write the same file, none loses what another one wrote, and each always finds it',
  { timeout: 120_000 },
  async () => {
    verifies('toolbox.workspace.whole');
    const root = folderWith({ 'count.txt': '1000' });
    const codes = await Promise.all(
      [1, 2, 3].map(
        () =>
          new Promise((resolve) =>
            spawn(process.execPath, ['--conditions=@kernel/source', PROGRAM, root, folderWith(), '100'], {
              stdio: ['ignore', 'ignore', 'inherit'],
            }).on('exit', resolve),
          ),
      ),
    );
    expect(codes).toEqual([0, 0, 0]);
    expect(readFileSync(join(root, 'count.txt'), 'utf8')).toBe('1300');
    expect(readdirSync(root)).toEqual(['count.txt']);
  },
);

test('a lock that a killed process left holds nobody for long', async () => {
  const root = folderWith({ a: 'old' });
  writeFileSync(join(root, `.toolbox-${createHash('sha256').update('a').digest('hex').slice(0, 16)}.tmp`), '');
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  await workspace.write('a', 'new');
  expect(readdirSync(root)).toEqual(['a']);
});
