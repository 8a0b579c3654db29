import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { KINDS, snapshot, textOf } from './three-workspaces.ts';

const FILES = { 'a.txt': 'one\n', 'src/b.ts': 'two\n', 'src/deep/c.ts': 'three\n', 'z/only.txt': 'last' };

describe.each(KINDS)('a workspace $name', ({ create }) => {
  test('reads a file, a range of it, and tells what it is', async () => {
    const workspace = await create(FILES);
    expect(await textOf(workspace, 'src/b.ts')).toBe('two\n');
    expect(await textOf(workspace, './src//deep/../b.ts')).toBe('two\n');
    const { bytes, size, path, type } = await workspace.read('src/deep/c.ts', { start: 1, length: 3 });
    expect({ text: new TextDecoder().decode(bytes), size, path, type }).toEqual({
      text: 'hre',
      size: 6,
      path: 'src/deep/c.ts',
      type: 'file',
    });
    expect((await workspace.read('a.txt', { start: 100 })).bytes).toHaveLength(0);
    await expect(workspace.read('a.txt', { maxBytes: 2 })).rejects.toThrow('has 4 bytes; at most 2 are read at once');
    expect(await workspace.stat('src')).toMatchObject({ type: 'directory', path: 'src', size: 0 });
  });

  test('lists a folder by name, with sizes on request', async () => {
    const workspace = await create(FILES);
    expect(await workspace.list('.')).toEqual([
      { name: 'a.txt', type: 'file' },
      { name: 'src', type: 'directory' },
      { name: 'z', type: 'directory' },
    ]);
    expect(await workspace.list('src', { sizes: true })).toEqual([
      { name: 'b.ts', type: 'file', size: 4 },
      { name: 'deep', type: 'directory' },
    ]);
    await expect(workspace.list('a.txt')).rejects.toThrow('"a.txt" is a file, not a folder.');
  });

  test('says what a missing path resembles', async () => {
    const workspace = await create({ ...FILES, '.env': 'x' });
    await expect(workspace.read('A.TXT')).rejects.toThrow(
      'There is no "A.TXT" in the workspace. Did you mean "a.txt"?',
    );
    await expect(workspace.read('scr/b.ts')).rejects.toThrow('Did you mean "src/b.ts"?');
    await expect(workspace.remove('src/deep/c')).rejects.toThrow('Did you mean "src/deep/c.ts"?');
    await expect(workspace.read('.envv')).rejects.not.toThrow('Did you mean');
    await expect(workspace.stat('nothing at all')).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      data: { reason: 'missing' },
    });
  });

  test('writes a file whole, makes its folders, and refuses another version', async () => {
    const workspace = await create(FILES);
    const { version } = await workspace.stat('a.txt');
    await workspace.write('a.txt', 'ONE', { ifVersion: version });
    await workspace.write('new/deep/d.txt', new Uint8Array([104, 105]), { ifVersion: 'absent' });
    expect(await textOf(workspace, 'a.txt')).toBe('ONE');
    expect(await textOf(workspace, 'new/deep/d.txt')).toBe('hi');
    await expect(workspace.write('a.txt', 'x', { ifVersion: version })).rejects.toThrow('changed since it was read');
    await expect(workspace.write('a.txt', 'x', { ifVersion: 'absent' })).rejects.toThrow('exists already');
    await expect(workspace.write('gone.txt', 'x', { ifVersion: version })).rejects.toThrow('is gone since it was read');
    await expect(workspace.write('src', 'x')).rejects.toThrow('"src" is a folder');
    await expect(workspace.write('a.txt/b', 'x')).rejects.toThrow('a part of the path is a file');
    await expect(workspace.write('.', 'x')).rejects.toThrow('is a folder');
    expect(await textOf(workspace, 'a.txt')).toBe('ONE');
  });

  test('keeps the mode of what is replaced, and a version through a move', async () => {
    const workspace = await create(FILES);
    await workspace.write('run.sh', 'a', { mode: 0o755 });
    await workspace.write('run.sh', 'b');
    expect((await workspace.stat('run.sh')).mode).toBe(0o755);
    const { version } = await workspace.stat('run.sh');
    await workspace.move('run.sh', 'bin/run.sh');
    expect(await workspace.stat('bin/run.sh')).toMatchObject({ mode: 0o755, version });
  });

  test('moves files and folders, and replaces nothing by it', async () => {
    const workspace = await create(FILES);
    await workspace.move('src', 'lib/src');
    expect(await snapshot(workspace)).toEqual({
      'a.txt': 'one\n',
      'lib/': '',
      'lib/src/': '',
      'lib/src/b.ts': 'two\n',
      'lib/src/deep/': '',
      'lib/src/deep/c.ts': 'three\n',
      'z/': '',
      'z/only.txt': 'last',
    });
    await expect(workspace.move('a.txt', 'z/only.txt')).rejects.toThrow('exists already; nothing was moved');
    await expect(workspace.move('lib', 'lib/src/lib')).rejects.toThrow('cannot be moved into itself');
    await expect(workspace.move('.', 'x')).rejects.toThrow('The root of the workspace itself');
  });

  test('removes files and folders, and a folder that is not empty only on request', async () => {
    const workspace = await create(FILES);
    await workspace.remove('a.txt');
    await expect(workspace.remove('src')).rejects.toThrow('not empty');
    await workspace.remove('src', { recursive: true });
    expect(await snapshot(workspace)).toEqual({ 'z/': '', 'z/only.txt': 'last' });
    await workspace.write('src/again.ts', 'x');
    expect(await workspace.list('src')).toEqual([{ name: 'again.ts', type: 'file' }]);
    await expect(workspace.remove('.', { recursive: true })).rejects.toThrow('The root of the workspace itself');
  });

  test('takes changes back: the last, one by its id, and all since one', async () => {
    verifies('toolbox.workspace.undo');
    const workspace = await create(FILES);
    const before = await snapshot(workspace);
    await workspace.write('a.txt', 'two');
    const mark = await workspace.write('a.txt', 'three');
    await workspace.move('src', 'lib');
    const removed = await workspace.remove('lib', { recursive: true });
    await workspace.makeDirectory('x/y');
    await workspace.write('a.txt', 'four');
    expect(workspace.undoable()).toHaveLength(6);
    expect(await workspace.undo()).toMatchObject([{ paths: [{ path: 'a.txt', what: 'changed' }] }]);
    expect(await textOf(workspace, 'a.txt')).toBe('three');
    await workspace.undo({ id: removed.id });
    expect(await textOf(workspace, 'lib/deep/c.ts')).toBe('three\n');
    await workspace.undo({ since: mark.id });
    expect(await textOf(workspace, 'src/b.ts')).toBe('two\n');
    await workspace.undo({ since: '' });
    expect(await snapshot(workspace)).toEqual(before);
    await expect(workspace.undo()).rejects.toThrow('There is no change to take back');
    await expect(workspace.undo({ id: '0099' })).rejects.toThrow('There is no change "0099"');
  });

  test('takes nothing back over a later change', async () => {
    verifies('toolbox.workspace.undo');
    const workspace = await create(FILES);
    const first = await workspace.write('a.txt', 'two');
    await workspace.write('a.txt', 'three');
    await expect(workspace.undo({ id: first.id })).rejects.toThrow(/"a\.txt" was changed since\. Nothing was changed/);
    expect(await textOf(workspace, 'a.txt')).toBe('three');
    const removed = await workspace.remove('z/only.txt');
    await workspace.write('z/only.txt', 'again');
    await expect(workspace.undo({ id: removed.id })).rejects.toThrow('exists again');
  });

  test('makes several edits, or none', async () => {
    const workspace = await create(FILES);
    const before = await snapshot(workspace);
    const edits = [
      { type: 'write', path: 'a.txt', content: 'X' },
      { type: 'move', from: 'src/b.ts', to: 'n/b.ts' },
      { type: 'remove', path: 'z', recursive: true },
      { type: 'makeDirectory', path: 'made' },
    ] as const;
    await expect(workspace.apply([...edits, { type: 'remove', path: 'none' }])).rejects.toThrow('There is no "none"');
    expect(await snapshot(workspace)).toEqual(before);
    expect(workspace.undoable()).toEqual([]);
    const change = await workspace.apply(edits);
    expect(change.paths.map(({ path, what }) => `${what} ${path}`)).toEqual([
      'changed a.txt',
      'directory-made n',
      'moved src/b.ts',
      'removed z/only.txt',
      'directory-removed z',
      'directory-made made',
    ]);
    await workspace.undo();
    expect(await snapshot(workspace)).toEqual(before);
  });

  test('keeps what its rules deny, and credentials, out of reach of everything', async () => {
    verifies('toolbox.workspace.rules');
    const files = { ...FILES, '.env': 'KEY', 'src/id_rsa': 'KEY', 'src/hidden/h.txt': 'h', 'src/gen/g.ts': 'g' };
    const workspace = await create(files, {
      read: ['**', '!src/gen'],
      write: ['src', '!src/gen', 'src/gen/open.ts'],
      deny: ['hidden'],
    });
    for (const path of ['.env', './.env', 'src/../.env', 'src/id_rsa', '.ENV', 'src/ID_RSA']) {
      await expect(workspace.read(path)).rejects.toThrow('may hold credentials');
      await expect(workspace.write(path, 'x')).rejects.toThrow(/may hold credentials|may not be changed/);
    }
    for (const path of ['src/hidden/h.txt', 'src/HIDDEN/h.txt', 'src/hidden']) {
      await expect(workspace.read(path)).rejects.toThrow(/denied by the rules|may not be read/);
      await expect(workspace.write(path, 'x')).rejects.toThrow(/denied by the rules|may not be changed/);
    }
    await expect(workspace.read('src/gen/g.ts')).rejects.toThrow('may not be read');
    await expect(workspace.read('src/Gen/g.ts')).rejects.toThrow('may not be read');
    await expect(workspace.write('src/gen/g.ts', 'x')).rejects.toThrow(
      /may not be|denied by the rules|may hold credentials/,
    );
    await expect(workspace.write('a.txt', 'x')).rejects.toThrow(/may not be (?:written|changed)/);
    await expect(workspace.move('src', 'lib/src')).rejects.toThrow(
      /may not be|denied by the rules|may hold credentials/,
    );
    await expect(workspace.move('src/hidden', 'src/shown')).rejects.toThrow(
      /may not be|denied by the rules|may hold credentials/,
    );
    await expect(workspace.remove('src', { recursive: true })).rejects.toThrow(
      /may not be|denied by the rules|may hold credentials/,
    );
    await workspace.write('src/gen/open.ts', 'x');
    await workspace.write('src/b.ts', 'x');
    expect(workspace.allows('read', 'src/b.ts')).toBe(true);
    expect(workspace.allows('write', 'a.txt')).toBe(false);
    expect(workspace.allows('read', 'src/hidden/x')).toBe(false);
  });

  test('writes nothing unless it was told where', async () => {
    verifies('toolbox.workspace.rules');
    const workspace = await create(FILES, { write: [] });
    for (const work of [
      () => workspace.write('a.txt', 'x'),
      () => workspace.makeDirectory('d'),
      () => workspace.move('a.txt', 'b.txt'),
      () => workspace.remove('a.txt'),
    ])
      await expect(work()).rejects.toThrow(/nothing in this workspace may be written|may not be changed/);
  });

  test('stops before the work on an abort', async () => {
    const workspace = await create(FILES);
    const signal = AbortSignal.abort(new Error('stop'));
    for (const work of [
      () => workspace.read('a.txt', { signal }),
      () => workspace.list('.', { signal }),
      () => workspace.stat('a.txt', { signal }),
      () => workspace.write('a.txt', 'x', { signal }),
      () => workspace.remove('a.txt', { signal }),
      () => workspace.undo({ signal }),
    ])
      await expect(work()).rejects.toThrow('stop');
    expect(await textOf(workspace, 'a.txt')).toBe('one\n');
  });

  test('is used by many at once', async () => {
    const workspace = await create({});
    await Promise.all(Array.from({ length: 30 }, (_, index) => workspace.write(`f${index % 3}.txt`, `${index}`)));
    expect(await workspace.list('.')).toHaveLength(3);
    await workspace.undo({ since: '' });
    expect(await workspace.list('.')).toEqual([]);
    await workspace.close();
    expect(workspace.undoable()).toEqual([]);
  });
});
