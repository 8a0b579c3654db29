import {
  chmodSync,
  linkSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { errorMessage } from '@kernel/internal';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import {
  createWorkspace,
  type EditorFiles,
  overlayWorkspace,
  type Workspace,
  type WorkspaceOptions,
  withCachedEditorReads,
} from '../../src/workspace/index.ts';
import { fakeEditor } from './fake-editor.ts';
import { folderWith } from './folders.ts';
import { textOf } from './three-workspaces.ts';

const FILES = { 'a.txt': 'saved\n', 'b.txt': 'b\n', 'win.txt': 'one\r\ntwo\r\n' };

async function opened(
  change: (own: EditorFiles) => EditorFiles = (own) => own,
  options: Partial<WorkspaceOptions> = {},
) {
  const root = folderWith(FILES);
  const editor = fakeEditor();
  const workspace = await createWorkspace({
    root,
    write: ['**'],
    state: { folder: folderWith() },
    editor: change(editor.files),
    ...options,
  });
  const onDisk = (path: string): string => readFileSync(join(root, path), 'utf8');
  return { root, editor, workspace, onDisk, type: (path: string, text: string) => editor.type(join(root, path), text) };
}

const call = async (workspace: Workspace, name: string, input: object): Promise<string> =>
  (await createRegistry(fileTools(workspace, { ripgrep: false })).execute(name, { ...input })).forLLM;

describe('a file with unsaved changes', () => {
  test('is read, edited, patched and brought back as the editor shows it', async () => {
    verifies('toolbox.editor.files');
    const { workspace, onDisk, type } = await opened();
    type('a.txt', 'typed\nmore\n');
    expect(await call(workspace, 'read_file', { path: 'a.txt' })).toBe('typed\nmore\n');
    const edits = [{ old_text: 'typed', new_text: 'edited' }];
    expect(await call(workspace, 'edit_file', { path: 'a.txt', edits })).toContain('1 replacement');
    expect(onDisk('a.txt')).toBe('edited\nmore\n');
    await call(workspace, 'undo', {});
    expect(onDisk('a.txt')).toBe('typed\nmore\n');
    type('b.txt', 'typed\n');
    const patch = '*** Begin Patch\n*** Update File: b.txt\n@@\n-typed\n+patched\n*** End Patch';
    await call(workspace, 'apply_patch', { patch });
    expect(onDisk('b.txt')).toBe('patched\n');
  });

  test('has the version of what was read: one that was typed in since is not written over', async () => {
    verifies('toolbox.editor.files');
    const { workspace, onDisk, type } = await opened();
    type('a.txt', 'typed\n');
    const { size, version } = await workspace.read('a.txt');
    expect(await workspace.stat('a.txt')).toMatchObject({ size, version });
    expect(size).toBe(6);
    type('a.txt', 'again\n');
    await expect(workspace.write('a.txt', 'x', { ifVersion: version })).rejects.toThrow('changed since it was read');
    expect(onDisk('a.txt')).toBe('saved\n');
    const change = await workspace.write('a.txt', 'x');
    type('a.txt', 'typed after that');
    await expect(workspace.undo({ id: change.id })).rejects.toThrow('was changed since');
  });

  test('is removed with what was typed, which comes back with undo', async () => {
    verifies('toolbox.editor.files');
    const { workspace, type } = await opened();
    type('a.txt', 'typed\n');
    await workspace.remove('a.txt');
    await workspace.undo();
    expect(await textOf(workspace, 'a.txt')).toBe('typed\n');
  });

  test('is seen by an overlay, which is committed through the editor', async () => {
    verifies('toolbox.editor.files');
    const { editor, workspace, onDisk, type, root } = await opened();
    type('a.txt', 'typed\n');
    const overlay = overlayWorkspace(workspace);
    expect(await textOf(overlay, 'a.txt')).toBe('typed\n');
    await overlay.write('a.txt', 'edited\n');
    await overlay.write('n/new.txt', 'new\n');
    expect(editor.calls.filter((each) => each.startsWith('write'))).toEqual([]);
    expect(await overlay.commit()).toEqual({ committed: ['a.txt', 'n', 'n/new.txt'], conflicts: [] });
    expect([onDisk('a.txt'), onDisk('n/new.txt')]).toEqual(['edited\n', 'new\n']);
    expect(editor.calls).toContain(`write ${join(root, 'n/new.txt')}`);
  });

  test('is asked for once by a change that is tried on an overlay within single reads, and again by the next one', async () => {
    verifies('toolbox.editor.reads');
    const { workspace, editor, type } = await opened();
    const tried = (old: string): Promise<string> =>
      withCachedEditorReads(async () => {
        const overlay = overlayWorkspace(workspace);
        const edits = [{ old_text: old, new_text: 'edited' }];
        await call(overlay, 'edit_file', { path: 'a.txt', edits });
        type('a.txt', 'typed while it is tried\n');
        return textOf(overlay, 'a.txt');
      });
    type('a.txt', 'typed\n');
    expect(await tried('typed')).toBe('edited\n');
    expect(editor.calls).toHaveLength(1);
    expect(await tried('typed')).toBe('edited while it is tried\n');
    expect(editor.calls).toHaveLength(2);
  });

  test('is searched as it is on disk, without asking the editor for each file', async () => {
    verifies('toolbox.editor.files');
    const { editor, workspace, type } = await opened();
    type('a.txt', 'typed\n');
    expect(await call(workspace, 'search_text', { query: 'typed' })).toContain('No line contains');
    expect(await call(workspace, 'search_text', { query: 'saved' })).toBe('a.txt:1: saved');
    expect(await call(workspace, 'glob', { pattern: '*.txt', changed: '3 hours' })).toContain('a.txt');
    expect(editor.calls).toEqual([]);
  });

  test('is not written over on disk by an editor that takes no writes, or not this content', async () => {
    verifies('toolbox.editor.files');
    const { workspace, onDisk, type } = await opened(({ readText }) => ({ ...(readText && { readText }) }));
    type('a.txt', 'typed\n');
    await expect(workspace.write('a.txt', 'x')).rejects.toThrow('has unsaved changes in the editor');
    await workspace.write('b.txt', 'x');
    expect([onDisk('a.txt'), onDisk('b.txt')]).toEqual(['saved\n', 'x']);
    const other = await opened();
    other.type('a.txt', 'typed\n');
    await expect(other.workspace.write('a.txt', Uint8Array.of(0, 1))).rejects.toThrow('Ask the user to save it');
  });
});

test('an editor that shows no returns leaves them in the file, and none of its versions changes by it', async () => {
  verifies('toolbox.editor.files');
  const root = folderWith(FILES);
  const editor = fakeEditor({ keepsReturns: false });
  const workspace = await createWorkspace({
    root,
    write: ['**'],
    state: { folder: folderWith() },
    editor: editor.files,
  });
  expect(await textOf(workspace, 'win.txt')).toBe('one\r\ntwo\r\n');
  editor.type(join(root, 'win.txt'), 'one\ntyped\n');
  expect(await textOf(workspace, 'win.txt')).toBe('one\r\ntyped\r\n');
  await call(workspace, 'edit_file', { path: 'win.txt', edits: [{ old_text: 'typed\r\n', new_text: 'x\r\ny\r\n' }] });
  expect(readFileSync(join(root, 'win.txt'), 'utf8')).toBe('one\r\nx\r\ny\r\n');
  await workspace.remove('win.txt');
  await workspace.undo();
  expect(readFileSync(join(root, 'win.txt'), 'utf8')).toBe('one\r\nx\r\ny\r\n');
});

test('a file keeps its last line break in an editor that shows none, and none of its versions changes by it', async () => {
  verifies('toolbox.editor.files');
  const { editor, root, workspace } = await opened((own) => ({
    ...own,
    readText: async (...args) => (await own.readText?.(...args))?.replace(/\n$/, ''),
  }));
  expect([await textOf(workspace, 'a.txt'), await textOf(workspace, 'win.txt')]).toEqual(['saved\n', 'one\r\ntwo\r\n']);
  await call(workspace, 'edit_file', { path: 'a.txt', edits: [{ old_text: 'saved', new_text: 'changed' }] });
  expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(editor.calls).toContain(`write ${join(root, 'a.txt')}`);
  await workspace.write('b.txt', 'no break');
  expect(await textOf(workspace, 'b.txt')).toBe('no break');
});

test('what the rules close, links and hard links are refused before the editor is asked', async () => {
  verifies('toolbox.editor.rules');
  const outside = folderWith({ 'secret.txt': 'secret' });
  const { editor, root, workspace } = await opened(undefined, { read: ['**', '!b.txt'], write: ['**', '!b.txt'] });
  writeFileSync(join(root, '.env'), 'KEY=1');
  symlinkSync(join(outside, 'secret.txt'), join(root, 'link.txt'));
  symlinkSync(outside, join(root, 'folder'));
  linkSync(join(outside, 'secret.txt'), join(root, 'hard.txt'));
  for (const path of ['.env', 'b.txt', 'link.txt', 'hard.txt', 'folder/secret.txt', 'folder/new.txt', '../x']) {
    await expect(workspace.read(path)).rejects.toMatchObject({ code: 'TOOL_FAILED' });
    await expect(workspace.write(path, 'x')).rejects.toMatchObject({ code: 'TOOL_FAILED' });
  }
  expect(editor.calls).toEqual([]);
  expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
});

test('an editor is asked by the name that its folder was given by', async () => {
  verifies('toolbox.editor.rules');
  const root = folderWith(FILES);
  const alias = join(folderWith(), 'project');
  symlinkSync(root, alias);
  const editor = fakeEditor();
  const workspace = await createWorkspace({ root: alias, editor: editor.files });
  await workspace.read('a.txt');
  expect(editor.calls).toEqual([`read ${join(alias, 'a.txt')}`]);
});

test('binary files, other encodings and large files are those on disk', async () => {
  verifies('toolbox.editor.files');
  const { editor, workspace } = await opened();
  const bodies = [
    Uint8Array.of(1, 0, 2),
    Buffer.from('caf\xe9', 'latin1'),
    Buffer.from('\uFEFFmark'),
    Buffer.alloc(5_000_000, 'a'),
  ];
  for (const [index, bytes] of bodies.entries()) {
    await workspace.write(`f${index}`, bytes);
    expect(Buffer.compare((await workspace.read(`f${index}`)).bytes, bytes)).toBe(0);
  }
  expect(editor.calls).toEqual([]);
});

test('a file that the editor does not have is read and written on disk', async () => {
  verifies('toolbox.editor.files');
  const { workspace, onDisk } = await opened(() => ({
    readText: async () => undefined,
    writeText: () => Promise.reject(new Error('not in the project')),
  }));
  expect(await textOf(workspace, 'a.txt')).toBe('saved\n');
  await workspace.write('a.txt', 'x');
  await workspace.write('new.txt', 'y');
  expect([onDisk('a.txt'), onDisk('new.txt')]).toEqual(['x', 'y']);
  await workspace.undo({ since: '' });
  expect(onDisk('a.txt')).toBe('saved\n');
});

test('the mode is that of the file, also where the editor saves with another one', async () => {
  verifies('toolbox.editor.files');
  const { root, workspace } = await opened((own) => ({
    ...own,
    writeText: async (path, text) => {
      writeFileSync(`${path}.new`, text, { mode: 0o600 });
      renameSync(`${path}.new`, path);
    },
  }));
  chmodSync(join(root, 'a.txt'), 0o755);
  await workspace.write('a.txt', 'x');
  expect(statSync(join(root, 'a.txt')).mode & 0o777).toBe(0o755);
  await workspace.write('new.txt', 'x', { mode: 0o700 });
  expect(statSync(join(root, 'new.txt')).mode & 0o777).toBe(0o700);
});

describe('an editor that', () => {
  test.each<[string, EditorFiles['readText'], string]>([
    [
      'throws',
      () => {
        throw new Error('no\u001B[2J buffer');
      },
      'The editor could not read "a.txt": no\\x1b[2J buffer.',
    ],
    ['rejects without a reason', () => Promise.reject(new Error('')), 'it did not say why'],
    ['answers with a number', async () => 7 as never, 'its answer is not a text'],
    ['answers with null', async () => null as never, 'its answer is not a text'],
    ['answers with half a character', async () => 'a\uD800', 'its answer is not a text'],
    ['answers without end', async () => 'x'.repeat(5_000_000), 'more than 4194304 bytes'],
  ])('%s when it is to read gives an error of the model', async (_name, readText, said) => {
    verifies('toolbox.editor.hostile');
    const { workspace, onDisk } = await opened(() => ({ ...(readText && { readText }) }));
    await expect(workspace.read('a.txt')).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining(said),
    });
    await expect(workspace.write('a.txt', 'x')).rejects.toThrow('The editor');
    expect(onDisk('a.txt')).toBe('saved\n');
    expect(workspace.undoable()).toEqual([]);
  });

  test('hangs is waited for no longer than its limit, nor after an abort', async () => {
    verifies('toolbox.editor.hostile');
    const { workspace, onDisk } = await opened(() => ({ readText: () => new Promise(() => {}) }));
    const stop = new AbortController();
    const aborted = workspace.read('a.txt', { signal: stop.signal });
    setImmediate(() => stop.abort(new Error('stop')));
    await expect(aborted).rejects.toThrow('stop');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const late = workspace.read('a.txt').catch(errorMessage);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await late).toContain('did not answer within 10000 ms');
    expect(onDisk('a.txt')).toBe('saved\n');
  });

  test.each<[string, NonNullable<EditorFiles['writeText']>, string]>([
    ['throws', () => Promise.reject(new Error('full')), 'could not write "a.txt": full'],
    ['does nothing', async () => {}, 'answered that it wrote "a.txt", but nothing has changed'],
    [
      'fails halfway',
      async (path) => {
        writeFileSync(path, 'ha');
        throw new Error('crash');
      },
      'crash',
    ],
    ['writes no text', async (path) => writeFileSync(path, Uint8Array.of(0, 1)), 'not the text that was sent'],
  ])('%s when it is to write once leaves what was there, and no new file', async (_name, writeText, said) => {
    verifies('toolbox.editor.hostile');
    let fails = 1;
    const { workspace, onDisk } = await opened((own) => ({
      ...own,
      writeText: async (path, text, options) => {
        fails -= 1;
        await (fails === 0 ? writeText : own.writeText)?.(path, text, options);
      },
    }));
    await expect(workspace.write('a.txt', 'new')).rejects.toThrow(said);
    expect(onDisk('a.txt')).toBe('saved\n');
    fails = 1;
    await expect(workspace.write('n.txt', 'new')).rejects.toThrow('The editor');
    await expect(workspace.stat('n.txt')).rejects.toThrow('There is no "n.txt"');
    expect(workspace.undoable()).toEqual([]);
  });

  test('hangs when it is to write is waited for until its limit, and nothing is left half done', async () => {
    verifies('toolbox.editor.hostile');
    const { workspace, onDisk } = await opened((own) => ({ ...own, writeText: () => new Promise(() => {}) }));
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    for (const path of ['a.txt', 'n.txt']) {
      const late = workspace.write(path, 'new').catch(errorMessage);
      while (vi.getTimerCount() === 0) await new Promise((resolve) => void setImmediate(resolve));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(await late).toContain(
        `did not answer within 10000 ms when asked to write "${path}". It may still write it.`,
      );
    }
    expect(onDisk('a.txt')).toBe('saved\n');
    await expect(workspace.stat('n.txt')).rejects.toThrow('There is no "n.txt"');
    expect(workspace.undoable()).toEqual([]);
  });

  test('removes a file that it is to write is found out', async () => {
    verifies('toolbox.editor.hostile');
    const { workspace } = await opened((own) => ({ ...own, writeText: async (path) => unlinkSync(path) }));
    await expect(workspace.write('a.txt', 'new')).rejects.toThrow('but there is no such file');
  });

  test('fails at a later file of a change has the earlier ones brought back', async () => {
    verifies('toolbox.editor.hostile');
    const { workspace, onDisk } = await opened((own) => ({
      ...own,
      writeText: async (path, text, options) => {
        if (path.endsWith('win.txt')) throw new Error('read-only');
        return own.writeText?.(path, text, options);
      },
    }));
    const write = (path: string) => ({ type: 'write', path, content: 'new' }) as const;
    await expect(workspace.apply(['a.txt', 'n.txt', 'win.txt'].map(write))).rejects.toThrow('read-only');
    expect([onDisk('a.txt'), onDisk('win.txt')]).toEqual(['saved\n', 'one\r\ntwo\r\n']);
    await expect(workspace.stat('n.txt')).rejects.toThrow('There is no');
  });

  test('wrote although it failed, or formats what it saves, has its content taken as it is', async () => {
    verifies('toolbox.editor.hostile');
    const { workspace, onDisk } = await opened((own) => ({
      ...own,
      writeText: async (path, text) => {
        writeFileSync(path, path.endsWith('b.txt') ? `// formatted\n${text}` : text);
        if (path.endsWith('a.txt')) throw new Error('connection lost');
      },
    }));
    await workspace.write('a.txt', 'new');
    await workspace.write('b.txt', 'new');
    expect([onDisk('a.txt'), onDisk('b.txt')]).toEqual(['new', '// formatted\nnew']);
    await workspace.undo();
    expect(onDisk('b.txt')).toBe('// formatted\nb\n');
    await workspace.undo();
    expect(onDisk('a.txt')).toBe('saved\n');
  });

  test('answers a write after the abort has its change finished, so that it can be taken back', async () => {
    verifies('toolbox.editor.hostile');
    const stop = new AbortController();
    const { workspace, onDisk } = await opened((own) => ({
      ...own,
      writeText: async (path, text, options) => {
        stop.abort(new Error('stop'));
        await new Promise((resolve) => void setImmediate(resolve));
        await own.writeText?.(path, text, options);
      },
    }));
    await workspace.write('a.txt', 'new', { signal: stop.signal });
    expect(onDisk('a.txt')).toBe('new');
    await workspace.undo();
    expect(onDisk('a.txt')).toBe('saved\n');
  });

  test('does not save shows what it was given, and undo brings back what it showed', async () => {
    verifies('toolbox.editor.hostile');
    const shown = new Map<string, string>();
    const { workspace, onDisk } = await opened(() => ({
      readText: async (path) => shown.get(path) ?? readFileSync(path, 'utf8'),
      writeText: async (path, text) => void shown.set(path, text),
    }));
    await workspace.write('a.txt', 'new');
    expect([await textOf(workspace, 'a.txt'), onDisk('a.txt')]).toEqual(['new', 'saved\n']);
    await workspace.undo();
    expect(await textOf(workspace, 'a.txt')).toBe('saved\n');
  });
});
