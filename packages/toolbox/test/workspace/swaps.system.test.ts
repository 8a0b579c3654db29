import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createWorkspace, overlayWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';

const SECRET = 'SECRET-OUTSIDE';

type Attempt = (workspace: Workspace, round: number) => Promise<unknown>;

const ATTEMPTS: readonly Attempt[] = [
  (workspace) => workspace.read('sub/b.txt'),
  (workspace) => workspace.read('swapped.txt'),
  (workspace) => workspace.list('sub'),
  (workspace) => workspace.stat('deep/er/b.txt'),
  (workspace, round) => workspace.write('sub/b.txt', `inside ${round}`),
  (workspace, round) => workspace.write('sub/new.txt', `inside ${round}`),
  (workspace, round) => workspace.write('swapped.txt', `inside ${round}`),
  (workspace, round) => workspace.write(`deep/er/made-${round}/x.txt`, `inside ${round}`),
  (workspace) => workspace.remove('sub/b.txt'),
  (workspace, round) => workspace.move('deep/er/b.txt', `sub/moved-${round}.txt`),
  (workspace) => workspace.undo(),
];

test('five hundred swaps of files and folders between check and use give and take nothing outside', async () => {
  verifies('toolbox.workspace.swap');
  const outside = folderWith({ 'b.txt': SECRET, 'new.txt': SECRET });
  const base = folderWith();
  const root = join(base, 'root');
  for (const folder of ['sub', 'deep/er']) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ['sub/b.txt', 'swapped.txt', 'deep/er/b.txt']) writeFileSync(join(root, file), 'inside');
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  const before = readdirSync(outside).map((name) => [name, statSync(join(outside, name)).mtimeMs]);

  const counter = new SharedArrayBuffer(8);
  const view = new Int32Array(counter);
  const worker = new Worker(new URL('../fixtures/swapper.mjs', import.meta.url), {
    workerData: { counter, outside, root },
  });
  const seen = new Set<string>();
  let done = 0;
  for (let round = 0; Atomics.load(view, 0) < 500 || round < 50; round += 1) {
    for (const attempt of ATTEMPTS) {
      const target = round % 4 === 0 ? overlayWorkspace(workspace) : workspace;
      const outcome = await attempt(target, round).catch(() => undefined);
      if (outcome === undefined) continue;
      done += 1;
      if (typeof outcome === 'object' && outcome !== null && 'bytes' in outcome)
        seen.add(new TextDecoder().decode(outcome.bytes as Uint8Array).slice(0, 6));
    }
  }
  Atomics.store(view, 1, 1);
  await new Promise((resolve) => worker.once('exit', resolve));

  expect(Atomics.load(view, 0)).toBeGreaterThanOrEqual(500);
  expect(done).toBeGreaterThan(100);
  expect([...seen]).toEqual(['inside']);
  expect(readdirSync(outside).map((name) => [name, statSync(join(outside, name)).mtimeMs])).toEqual(before);
  for (const name of ['b.txt', 'new.txt']) expect(readFileSync(join(outside, name), 'utf8')).toBe(SECRET);
});
