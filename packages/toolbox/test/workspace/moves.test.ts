import { linkSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createWorkspace, memoryWorkspace, overlayWorkspace, type WorkspaceRules } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';
import { onDisk, snapshot, textOf } from './three-workspaces.ts';

/** A workspace with a link `alias` to its folder `real`. */
async function withAlias(files: Readonly<Record<string, string>>, rules: WorkspaceRules) {
  const root = folderWith(files);
  symlinkSync('real', join(root, 'alias'));
  return createWorkspace({ root, write: ['**'], state: { folder: folderWith() }, ...rules });
}

describe('a move by way of a linked folder', () => {
  test('takes nothing along that is denied where it is', async () => {
    verifies('toolbox.workspace.rules');
    const workspace = await withAlias({ 'real/dir/keep': 'SECRET', 'real/dir/b': 'b' }, { deny: ['real/dir/keep'] });
    await expect(workspace.move('alias/dir', 'moved')).rejects.toThrow('denied by the rules');
    await expect(workspace.read('moved/keep')).rejects.toThrow('There is no');
    expect(await textOf(workspace, 'alias/dir/b')).toBe('b');
  });

  test('brings nothing out that may not be read or written where it is', async () => {
    for (const rules of [{ read: ['**', '!real/x'] }, { write: ['**', '!real/x'] }]) {
      const workspace = await withAlias({ 'real/x': 'SECRET' }, rules);
      await expect(workspace.move('alias/x', 'y')).rejects.toThrow('may not be');
      await expect(workspace.read('y')).rejects.toThrow('There is no');
    }
  });

  test('puts nothing where nothing may be written', async () => {
    const workspace = await withAlias({ 'real/a': 'a', 'dir/set': 'mine' }, { write: ['**', '!real/sub/set'] });
    await expect(workspace.move('dir', 'alias/sub')).rejects.toThrow('may not be written');
    expect(await textOf(workspace, 'dir/set')).toBe('mine');
  });

  test('is done where it may be, and taken back', async () => {
    const workspace = await withAlias({ 'real/dir/a': 'a' }, {});
    const before = await workspace.list('real/dir');
    const { paths } = await workspace.move('alias/dir', 'alias/new/dir');
    expect(paths.at(-1)).toEqual({ what: 'moved', path: 'real/dir', to: 'real/new/dir' });
    expect(await textOf(workspace, 'real/new/dir/a')).toBe('a');
    await workspace.undo();
    expect(await workspace.list('real/dir')).toEqual(before);
    expect((await workspace.list('real')).map(({ name }) => name)).toEqual(['dir']);
  });
});

test('a file with several names is not moved to where such files are read', async () => {
  verifies('toolbox.workspace.confined');
  const outside = folderWith({ secret: 'SECRET' });
  const root = folderWith({ 'dir/a.txt': 'a', 'plain.txt': 'plain' });
  mkdirSync(join(root, 'node_modules'));
  linkSync(join(outside, 'secret'), join(root, 'dir/notes.txt'));
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  for (const [from, to] of [
    ['dir/notes.txt', 'node_modules/notes.txt'],
    ['dir', 'node_modules/dir'],
  ] as const)
    await expect(workspace.move(from, to)).rejects.toThrow('hard links');
  await expect(workspace.read('dir/notes.txt')).rejects.toThrow('hard links');
  await workspace.move('plain.txt', 'node_modules/plain.txt');
  expect(readFileSync(join(root, 'node_modules/plain.txt'), 'utf8')).toBe('plain');
});

test('a folder that an overlay cannot move whole stays whole', async () => {
  verifies('toolbox.workspace.overlay');
  const files = { 'src/a': 'a', 'src/b/c': 'c', 'src/z': 'z' };
  const root = folderWith(files);
  symlinkSync('a', join(root, 'src/m'));
  const base = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  const overlay = overlayWorkspace(base);
  await overlay.write('src/a', 'mine');
  const before = await snapshot(overlay);
  await expect(overlay.move('src', 'lib')).rejects.toThrow('"src/m" is not a file');
  expect(await snapshot(overlay)).toEqual(before);
  expect(overlay.changes()).toEqual([{ path: 'src/a', what: 'changed' }]);
});

test('what is denied is denied in every case of a letter that a file system may know', async () => {
  verifies('toolbox.workspace.rules');
  const names = ['.\u017Fsh/key', 'id_r\u017Fa', '.g\u0131t/config', '.\u212Aube/config', '.SSH/key', '\uFB01les/x'];
  const denied = { 'stra\u00DFe': 'STRASSE', ΟΔΟΣ: 'οδοσ', 'ΟΔΟΣ*': 'οδοσα', '\uFB01les': 'FILES' };
  const workspace = memoryWorkspace({}, { deny: Object.keys(denied) });
  for (const name of [...names, ...Object.keys(denied), ...Object.values(denied)])
    expect(workspace.allows('read', name)).toBe(false);
  for (const name of ['strand', 'ssh/key', 'src/file.ts']) expect(workspace.allows('read', name)).toBe(true);
});

test('a folder moves with what is in it on disk', async () => {
  const workspace = await onDisk({ 'src/a': 'a', 'src/deep/b': 'b' });
  await workspace.move('src', 'lib/src');
  expect(await snapshot(workspace)).toEqual({
    'lib/': '',
    'lib/src/': '',
    'lib/src/a': 'a',
    'lib/src/deep/': '',
    'lib/src/deep/b': 'b',
  });
});
