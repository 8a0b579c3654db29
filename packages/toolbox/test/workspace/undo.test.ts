import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { overlayWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { KINDS, onDisk, snapshot, textOf } from './three-workspaces.ts';

type Work = (workspace: Workspace) => Promise<unknown>;

const write =
  (path: string): Work =>
  (workspace) =>
    workspace.write(path, `new ${path}`);
const remove =
  (path: string): Work =>
  (workspace) =>
    workspace.remove(path, { recursive: true });
const move =
  (from: string, to: string): Work =>
  (workspace) =>
    workspace.move(from, to);
const folder =
  (path: string): Work =>
  (workspace) =>
    workspace.makeDirectory(path);
const inOne: Work = (workspace) =>
  workspace.apply([
    { type: 'write', path: 'x', content: 'x' },
    { type: 'move', from: 'x', to: 'y/x' },
    { type: 'remove', path: 'y/x' },
  ]);

describe.each(KINDS)('a workspace $name takes back', ({ create }) => {
  test.each<[string, readonly Work[]]>([
    ['a folder in the place of a file', [remove('a'), write('a/b/c')]],
    ['an empty folder in the place of a file', [remove('a'), folder('a')]],
    ['a file in the place of a folder', [remove('d'), write('d'), write('d')]],
    ['a file in the place of a folder within a folder', [remove('d'), write('d/e'), remove('d')]],
    ['what was written, moved and removed at once', [inOne, inOne]],
    ['a file that is moved to a folder in its own place', [move('a', 'b'), move('b', 'a/b'), remove('a')]],
    ['a folder that is moved and filled', [move('d', 'e'), write('e/n'), write('d/n'), move('e', 'd/e'), remove('d')]],
  ])('%s', async (_name, works) => {
    verifies('toolbox.workspace.undo');
    const workspace = await create({ a: 'a', 'd/e/f': 'f', 'd/g': 'g' });
    const before = await snapshot(workspace);
    for (const work of works) await work(workspace);
    await workspace.undo({ since: '' });
    expect(await snapshot(workspace)).toEqual(before);
  });

  test('nothing of a folder that somebody else put something in', async () => {
    const workspace = await create({ a: 'a' });
    await workspace.remove('a');
    const { id } = await workspace.makeDirectory('a');
    await workspace.write('a/other', 'other');
    await expect(workspace.undo({ id: String(Number(id) - 1).padStart(4, '0') })).rejects.toThrow('exists again');
    expect(await textOf(workspace, 'a/other')).toBe('other');
  });
});

test('an overlay has a folder in the place of a file, and commits it unless the file changed', async () => {
  verifies('toolbox.workspace.overlay');
  const base = await onDisk({ a: 'a', b: 'b' });
  const overlay = overlayWorkspace(base);
  for (const path of ['a', 'b']) {
    await overlay.remove(path);
    await overlay.write(`${path}/c`, 'c');
  }
  expect(await snapshot(overlay)).toEqual({ 'a/': '', 'a/c': 'c', 'b/': '', 'b/c': 'c' });
  await base.write('b', 'theirs');
  const { conflicts } = await overlay.commit();
  expect(conflicts.map(({ path }) => path)).toEqual(['b', 'b/c']);
  expect(await snapshot(base)).toEqual({ 'a/': '', 'a/c': 'c', b: 'theirs' });
});
