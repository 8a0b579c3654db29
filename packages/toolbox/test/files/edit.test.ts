import { callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { beforeEach, describe, expect, test } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import type { Workspace } from '../../src/workspace/index.ts';
import { STORES, textOf } from '../workspace/three-workspaces.ts';

const signal = new AbortController().signal;
let workspace: Workspace;

async function call(name: string, input: object) {
  const registry = createRegistry(fileTools(workspace, { ripgrep: false }));
  return callTool(registry, { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) }, { signal });
}

const LINES = 'one\ntwo\n  three\nfour\nfive\nsix\nseven\neight\nnine\ntwo\n';

describe.each(STORES)('in a workspace $name,', ({ create }) => {
  beforeEach(async () => {
    workspace = await create({
      'a.txt': LINES,
      'win.txt': '\uFEFFone\r\ntwo\r\nthree\r\n',
      'code.py': 'class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        return 2\n',
    });
  });

  test('a file that its owner made read-only is changed by no tool until that is taken back', async () => {
    await workspace.write('a.txt', LINES, { mode: 0o444 });
    const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-four\n+4\n*** End Patch';
    for (const [name, input] of [
      ['edit_file', { path: 'a.txt', edits: [{ old_text: 'four', new_text: '4' }] }],
      ['write_file', { path: 'a.txt', content: 'new' }],
      ['apply_patch', { patch }],
    ] as const)
      expect((await call(name, input)).forLLM).toContain('"a.txt" is read-only (mode 444); nothing was written.');
    expect(await textOf(workspace, 'a.txt')).toBe(LINES);
  });

  describe('edit_file', () => {
    test('replaces a text that occurs once, and shows a diff to the user and a summary to the model', async () => {
      const result = await call('edit_file', {
        path: 'a.txt',
        edits: [{ old_text: 'four', new_text: 'FOUR\nand a half' }],
      });
      expect(result.forLLM).toBe('Edited "a.txt": 1 replacement, at what was line 4.');
      expect(result.forUser).toBe(
        '--- a/a.txt\n+++ b/a.txt\n@@ -1,7 +1,8 @@\n one\n two\n   three\n-four\n+FOUR\n+and a half\n five\n six\n seven',
      );
      expect(await textOf(workspace, 'a.txt')).toBe(LINES.replace('four', 'FOUR\nand a half'));
    });

    test('applies several edits to the text as it is, or none of them', async () => {
      verifies('toolbox.files.edit');
      const edits = [
        { old_text: 'nine\n', new_text: '' },
        { old_text: 'one', new_text: 'two' },
      ];
      const failed = await call('edit_file', { path: 'a.txt', edits: [...edits, { old_text: 'none', new_text: 'x' }] });
      expect(failed.forLLM).toContain('old_text of edit 3 is not in the file');
      expect(await textOf(workspace, 'a.txt')).toBe(LINES);
      const done = await call('edit_file', { path: 'a.txt', edits });
      expect(done.forLLM).toContain('2 replacements, at what was lines 1, 9.');
      expect(done.forUser).toContain('@@ -1,4 +1,4 @@\n-one\n+two\n two');
      expect(done.forUser).toContain('@@ -6,5 +6,4 @@\n six\n seven\n eight\n-nine\n two');
      const overlap = [
        { old_text: 'four\nfive', new_text: 'x' },
        { old_text: 'five\nsix', new_text: 'y' },
      ];
      expect((await call('edit_file', { path: 'a.txt', edits: overlap })).forLLM).toContain(
        'two edits overlap in line',
      );
    });

    test('says where a text occurs several times, and replaces all on request', async () => {
      verifies('toolbox.files.edit');
      const edit = { old_text: 'two', new_text: '2' };
      const result = await call('edit_file', { path: 'a.txt', edits: [edit] });
      expect(result.forLLM).toContain('occurs 2 times, in lines 2, 10. Add lines around it, or set replace_all.');
      await call('edit_file', { path: 'a.txt', edits: [{ ...edit, replace_all: true }] });
      expect(await textOf(workspace, 'a.txt')).toBe(LINES.replaceAll('two', '2'));
    });

    test('keeps line endings and a byte order mark', async () => {
      verifies('toolbox.files.edit');
      await call('edit_file', { path: 'win.txt', edits: [{ old_text: 'one\ntwo', new_text: '1\n1.5\n2' }] });
      const { bytes } = await workspace.read('win.txt');
      expect(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)).toBe('\uFEFF1\r\n1.5\r\n2\r\nthree\r\n');
      await call('edit_file', { path: 'win.txt', edits: [{ old_text: 'three', new_text: '3\n4' }] });
      expect(await textOf(workspace, 'win.txt')).toBe('1\r\n1.5\r\n2\r\n3\r\n4\r\n');
    });

    test('takes lines with other white space where they are the only ones, and keeps the indentation of the file', async () => {
      verifies('toolbox.files.edit');
      const edits = [{ old_text: 'def f(self):\n    return 1', new_text: 'def f(self):\n    return 10' }];
      const result = await call('edit_file', { path: 'code.py', edits });
      expect(result.forLLM).toContain('1 edit matched only without comparing white space; check the result.');
      expect(await textOf(workspace, 'code.py')).toContain(
        'class A:\n    def f(self):\n        return 10\n\n    def g',
      );
      await workspace.write('twice.txt', ' a\n b\nc\n  a\n  b\n');
      const twice = await call('edit_file', { path: 'twice.txt', edits: [{ old_text: '\ta\n\tb', new_text: 'x' }] });
      expect(twice.forLLM).toContain('only without comparing white space, and then in several places: lines 1, 4');
      expect(await textOf(workspace, 'twice.txt')).toBe(' a\n b\nc\n  a\n  b\n');
    });

    test('refuses what it would damage, and edits that change nothing', async () => {
      await workspace.write('bin', new Uint8Array([0x61, 0, 0x0a]));
      const edit = { old_text: 'a', new_text: 'b' };
      expect((await call('edit_file', { path: 'bin', edits: [edit] })).forLLM).toContain('is a binary file');
      expect((await call('edit_file', { path: 'a.txt', edits: [{ old_text: '', new_text: 'b' }] })).forLLM).toContain(
        'is empty',
      );
      expect((await call('edit_file', { path: 'a.txt', edits: [{ old_text: 'a', new_text: 'a' }] })).forLLM).toContain(
        'is the same',
      );
      expect((await call('edit_file', { path: 'none', edits: [edit] })).forLLM).toContain('There is no "none"');
    });

    test('tells the model when a file changed since it read it', async () => {
      verifies('toolbox.files.stale');
      await call('read_file', { path: 'a.txt' });
      await call('edit_file', { path: 'a.txt', edits: [{ old_text: 'one', new_text: '1' }] });
      const own = await call('edit_file', { path: 'a.txt', edits: [{ old_text: 'four', new_text: '4' }] });
      expect(own.forLLM).not.toContain('Note:');
      await workspace.write('a.txt', `${LINES}and more\n`);
      const stale = await call('edit_file', { path: 'a.txt', edits: [{ old_text: 'five', new_text: '5' }] });
      expect(stale.forLLM).toContain('"a.txt" had changed since you read it');
      await workspace.write('a.txt', LINES);
      expect((await call('write_file', { path: 'a.txt', content: 'x' })).forLLM).toContain(
        'had changed since you read it',
      );
      await workspace.write('a.txt', LINES);
      const patch = '*** Begin Patch\n*** Update File: a.txt\n@@\n-one\n+1\n*** End Patch';
      expect((await call('apply_patch', { patch })).forLLM).toContain('had changed since you read it');
    });
  });

  describe('write_file, move, delete and undo', () => {
    test('create, replace, move and delete, each with a way back', async () => {
      verifies('toolbox.files.delete');
      expect((await call('write_file', { path: 'n/new.txt', content: 'a\nb\n' })).forLLM).toBe(
        'Created "n/new.txt" (2 lines, 4 bytes; change 0001).',
      );
      const replaced = await call('write_file', { path: 'n/new.txt', content: 'a\nc\n' });
      expect(replaced.forLLM).toBe('Replaced "n/new.txt" (2 lines, 4 bytes; change 0002).');
      expect(replaced.forUser).toContain('@@ -1,2 +1,2 @@\n a\n-b\n+c');
      expect((await call('move', { from: 'n', to: 'm' })).forLLM).toBe('Moved "n" to "m" (change 0003).');
      expect((await call('delete', { path: 'm' })).forLLM).toContain('not empty');
      const deleted = await call('delete', { path: 'm', recursive: true });
      // The deletion that failed had a number too.
      expect(deleted.forLLM).toBe('Deleted "m" (1 file). It comes back with undo, change "0005".');
      await expect(workspace.stat('m')).rejects.toThrow('There is no "m"');
      expect((await call('undo', { change: '0005' })).forLLM).toContain(
        'Took back change 0005: "m/new.txt" (was removed)',
      );
      expect(await textOf(workspace, 'm/new.txt')).toBe('a\nc\n');
      await call('undo', {});
      await call('undo', {});
      expect(await textOf(workspace, 'n/new.txt')).toBe('a\nb\n');
    });
  });
});
