import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, it, onTestFinished } from 'vitest';
import { memoryTool } from '../../src/memory/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';
import { caller } from './support.ts';

const WRITER = fileURLToPath(new URL('writer.ts', import.meta.url));

function start(folder: string, name: string, count: number): ChildProcess {
  const args = ['--conditions=@kernel/source', WRITER, folder, folderWith(), name, String(count)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  return child;
}

it('of several processes that write at once, none loses what another one wrote', async () => {
  verifies('toolbox.memory.processes');
  const folder = folderWith({ 'shared.md': '' });
  const children = ['a', 'b', 'c'].map((name) => start(folder, name, 10));
  await Promise.all(children.map((child) => once(child, 'exit')));
  const lines = readFileSync(join(folder, 'shared.md'), 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const expected = ['a', 'b', 'c'].flatMap((name) => Array.from({ length: 10 }, (_, index) => `${name}-${index}`));
  expect(lines.toSorted()).toEqual(expected.toSorted());
  expect(readdirSync(join(folder, 'notes'))).toHaveLength(30);
});

it('a process that is killed while it writes leaves the file whole, and the lock free', async () => {
  verifies('toolbox.memory.processes');
  const folder = folderWith({ 'shared.md': '' });
  for (let round = 0; round < 2; round += 1) {
    const child = start(folder, `r${round}`, 1_000_000);
    if (child.stdout !== null) await once(child.stdout, 'data');
    await new Promise((resolve) => setTimeout(resolve, 30 + round * 37));
    child.kill('SIGKILL');
    await once(child, 'exit');
    const lines = readFileSync(join(folder, 'shared.md'), 'utf8').split('\n');
    expect(lines.every((line) => line === '' || /^r\d-\d+$/.test(line))).toBe(true);
  }
  const workspace = await createWorkspace({ root: folder, state: { folder: folderWith() }, write: ['**'] });
  const call = caller(memoryTool(workspace, { maxFileBytes: 10_000_000, maxEntries: 1_000_000 }));
  const insert = { command: 'insert', path: '/memories/shared.md', insert_line: 0, insert_text: 'after' };
  expect((await call('memory', insert)).isError).toBeUndefined();
});
