import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ownIdentity } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/counter.ts', import.meta.url));

test('of processes that write the same file, none loses what another one wrote, and each always finds it', async () => {
  verifies('toolbox.workspace.whole');
  const root = folderWith({ 'count.txt': '1000' });
  const codes = await Promise.all(
    [1, 2, 3].map(
      () =>
        new Promise((resolve) =>
          spawn(process.execPath, ['--conditions=@kernel/source', PROGRAM, root, folderWith(), '20'], {
            stdio: ['ignore', 'ignore', 'inherit'],
          }).on('exit', resolve),
        ),
    ),
  );
  expect(codes).toEqual([0, 0, 0]);
  expect(readFileSync(join(root, 'count.txt'), 'utf8')).toBe('1060');
  expect(readdirSync(root)).toEqual(['count.txt']);
});

const lockOf = (root: string) =>
  join(root, `.toolbox-${createHash('sha256').update('a').digest('hex').slice(0, 16)}.tmp`);
const { pid: ended } = spawnSync(process.execPath, ['--version']);

test.each([
  ['without content', ''],
  ['with its identity', JSON.stringify({ ...ownIdentity(), pid: ended })],
])('a lock %s that a killed process left holds nobody for long', async (_name, lock) => {
  verifies('toolbox.workspace.whole');
  const root = folderWith({ a: 'old' });
  writeFileSync(lockOf(root), lock);
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  await workspace.write('a', 'new');
  expect(readdirSync(root)).toEqual(['a']);
});

test('the lock of a process in another container, which nobody here can see, is waited for and then named', async () => {
  verifies('toolbox.workspace.whole');
  const root = folderWith({ a: 'old' });
  const lock = lockOf(root);
  writeFileSync(lock, JSON.stringify({ ...ownIdentity(), pid: ended, host: 'box', namespace: 'pid:[1]' }));
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  const start = performance.now();
  // The clock goes on by ten seconds with each look.
  vi.spyOn(performance, 'now').mockImplementation(
    (
      (calls = 0) =>
      () =>
        start + (calls += 1) * 10_000
    )(),
  );
  onTestFinished(() => void vi.restoreAllMocks());
  await expect(workspace.write('a', 'new')).rejects.toThrow(`is being written by process ${ended} on "box"`);
  expect(readFileSync(join(root, 'a'), 'utf8')).toBe('old');
  rmSync(lock);
  await workspace.write('a', 'new');
});
