import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { memoryWorkspace, overlayWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { onDisk, snapshot, textOf } from './three-workspaces.ts';

const FILES = { 'a.txt': 'one', 'b.txt': 'two', 'src/c.ts': 'three', 'src/d.ts': 'four' };

describe.each<{ readonly name: string; create(): Promise<Workspace> }>([
  { name: 'on disk', create: () => onDisk(FILES) },
  { name: 'in memory', create: async () => memoryWorkspace(FILES) },
])('an overlay over a workspace $name', ({ create }) => {
  test('keeps changes apart until they are committed', async () => {
    verifies('toolbox.workspace.overlay');
    const base = await create();
    const before = await snapshot(base);
    const overlay = overlayWorkspace(base);
    await overlay.write('a.txt', 'ONE');
    await overlay.write('new/e.txt', 'five');
    await overlay.remove('b.txt');
    await overlay.move('src', 'lib');
    expect(overlay.changes()).toEqual([
      { path: 'a.txt', what: 'changed' },
      { path: 'b.txt', what: 'removed' },
      { path: 'lib', what: 'directory-made' },
      { path: 'lib/c.ts', what: 'created' },
      { path: 'lib/d.ts', what: 'created' },
      { path: 'new', what: 'directory-made' },
      { path: 'new/e.txt', what: 'created' },
      { path: 'src', what: 'directory-removed' },
      { path: 'src/c.ts', what: 'removed' },
      { path: 'src/d.ts', what: 'removed' },
    ]);
    const wanted = await snapshot(overlay);
    expect(await snapshot(base)).toEqual(before);
    const { committed, conflicts } = await overlay.commit();
    expect(conflicts).toEqual([]);
    expect(committed).toHaveLength(10);
    expect(await snapshot(base)).toEqual(wanted);
    expect(await snapshot(overlay)).toEqual(wanted);
    expect(overlay.changes()).toEqual([]);
    await base.undo({ since: '' });
    expect(await snapshot(base)).toEqual(before);
  });

  test('leaves what changed in the base meanwhile, by name, and commits the rest', async () => {
    verifies('toolbox.workspace.overlay');
    const base = await create();
    const overlay = overlayWorkspace(base);
    await overlay.write('a.txt', 'mine');
    await overlay.write('b.txt', 'mine too');
    await overlay.remove('src/c.ts');
    await overlay.write('new.txt', 'mine');
    await base.write('a.txt', 'theirs');
    await base.write('src/c.ts', 'theirs');
    await base.write('new.txt', 'theirs');
    const { committed, conflicts } = await overlay.commit();
    expect(committed).toEqual(['b.txt']);
    expect(conflicts.map(({ path, reason }) => `${path}: ${reason}`).toSorted()).toEqual([
      expect.stringMatching(/^a\.txt: .*changed since it was read/),
      expect.stringMatching(/^new\.txt: .*exists already/),
      expect.stringMatching(/^src\/c\.ts: .*changed since it was removed/),
    ]);
    expect(await textOf(base, 'a.txt')).toBe('theirs');
    expect(await textOf(overlay, 'a.txt')).toBe('mine');
    expect(overlay.changes().map(({ path }) => path)).toEqual(['a.txt', 'new.txt', 'src/c.ts']);
  });

  test('forgets its changes, and one that is taken back is none', async () => {
    const overlay = overlayWorkspace(await create());
    await overlay.write('a.txt', 'ONE');
    await overlay.remove('src', { recursive: true });
    await overlay.undo();
    expect(overlay.changes()).toEqual([{ path: 'a.txt', what: 'changed' }]);
    await overlay.undo();
    expect(overlay.changes()).toEqual([]);
    await overlay.write('a.txt', 'ONE');
    overlay.discard();
    expect(await textOf(overlay, 'a.txt')).toBe('one');
    expect(overlay.undoable()).toEqual([]);
  });
});

test('a file takes the place of a folder, and keeps its mode, through a commit', async () => {
  const base = await onDisk(FILES);
  const overlay = overlayWorkspace(base);
  await overlay.remove('src', { recursive: true });
  await overlay.write('src', 'a file now', { mode: 0o755 });
  expect(await overlay.commit()).toMatchObject({ conflicts: [] });
  expect(await textOf(base, 'src')).toBe('a file now');
});
