import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { ToolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, it } from 'vitest';
import { memoryTool } from '../../src/memory/index.ts';
import { memoryWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';
import { caller, messageOf, writable } from './support.ts';

type Call = (input: object) => Promise<ToolResult>;

async function memoryOf(files: Readonly<Record<string, string>> = {}, workspace?: Workspace): Promise<Call> {
  const call = caller(memoryTool(workspace ?? (await writable(files))));
  return (input) => call('memory', input);
}

describe('memory: the commands answer as Anthropic documents them', () => {
  it('view lists two levels with sizes, and leaves hidden items and node_modules out', async () => {
    verifies('toolbox.memory.commands');
    const memory = await memoryOf({
      'a.md': 'x'.repeat(1536),
      'sub/b.md': 'hello',
      'sub/deep/c.md': 'y',
      'sub/deep/deeper/d.md': 'z',
      '.hidden': 'h',
      'node_modules/x.js': 'n',
    });
    expect((await memory({ command: 'view', path: '/memories' })).forLLM).toBe(
      [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items and node_modules:",
        '1.5K\t/memories',
        '1.5K\t/memories/a.md',
        '7B\t/memories/sub/',
        '5B\t/memories/sub/b.md',
        '2B\t/memories/sub/deep/',
      ].join('\n'),
    );
    expect((await memory({ command: 'view', path: '/memories/sub/' })).forLLM).toContain('1B\t/memories/sub/deep/c.md');
  });

  it('view shows lines with numbers, or a range of them', async () => {
    verifies('toolbox.memory.commands');
    const memory = await memoryOf({ 'a.md': 'one\ntwo\nthree\nfour' });
    const head = "Here's the content of /memories/a.md with line numbers:\n";
    const view = async (range?: readonly number[]) =>
      (await memory({ command: 'view', path: '/memories/a.md', ...(range && { view_range: range }) })).forLLM;
    expect(await view()).toBe(`${head}     1\tone\n     2\ttwo\n     3\tthree\n     4\tfour`);
    expect(await view([2, 3])).toBe(`${head}     2\ttwo\n     3\tthree`);
    expect(await view([3, -1])).toBe(`${head}     3\tthree\n     4\tfour`);
    expect(await view([-5, 1])).toBe(`${head}     1\tone`);
    expect(await view([9, 12])).toContain('Invalid `view_range` parameter: [9, 12]');
  });

  it('create, str_replace, insert, rename and delete do what they say', async () => {
    verifies('toolbox.memory.commands');
    const memory = await memoryOf();
    const text = async (command: object) => (await memory(command)).forLLM;
    expect(await text({ command: 'create', path: '/memories/p/n.txt', file_text: 'a\nb\nc\n' })).toBe(
      'File created successfully at: /memories/p/n.txt',
    );
    expect(await text({ command: 'str_replace', path: '/memories/p/n.txt', old_str: 'b', new_str: 'B\nB2' })).toBe(
      'The memory file has been edited. Here is the snippet showing the change (with line numbers):\n' +
        '     1\ta\n     2\tB\n     3\tB2\n     4\tc\n     5\t',
    );
    expect(await text({ command: 'insert', path: '/memories/p/n.txt', insert_line: 0, insert_text: 'first\n' })).toBe(
      'The file /memories/p/n.txt has been edited.',
    );
    expect(await text({ command: 'insert', path: '/memories/p/n.txt', insert_line: 6, insert_text: 'last' })).toBe(
      'The file /memories/p/n.txt has been edited.',
    );
    expect(await text({ command: 'rename', old_path: '/memories/p/n.txt', new_path: '/memories/q/m.txt' })).toBe(
      'Successfully renamed /memories/p/n.txt to /memories/q/m.txt',
    );
    expect(await text({ command: 'view', path: '/memories/q/m.txt' })).toContain(
      '     1\tfirst\n     2\ta\n     3\tB\n     4\tB2\n     5\tc\n     6\t\n     7\tlast',
    );
    expect(await text({ command: 'delete', path: '/memories/q' })).toBe('Successfully deleted /memories/q');
    expect(await text({ command: 'view', path: '/memories/q' })).toContain('does not exist');
  });

  it.each([
    [{ command: 'view', path: '/memories/no' }, 'The path /memories/no does not exist. Please provide a valid path.'],
    [{ command: 'create', path: '/memories/a.md', file_text: '' }, 'Error: File /memories/a.md already exists'],
    [
      { command: 'str_replace', path: '/memories/no', old_str: 'a', new_str: 'b' },
      'Error: The path /memories/no does not exist. Please provide a valid path.',
    ],
    [
      { command: 'str_replace', path: '/memories/sub', old_str: 'a', new_str: 'b' },
      'Error: The path /memories/sub does not exist. Please provide a valid path.',
    ],
    [
      { command: 'str_replace', path: '/memories/a.md', old_str: 'zz', new_str: 'b' },
      'No replacement was performed, old_str `zz` did not appear verbatim in /memories/a.md.',
    ],
    [
      { command: 'str_replace', path: '/memories/a.md', old_str: '', new_str: 'b' },
      'No replacement was performed, old_str `` did not appear verbatim in /memories/a.md.',
    ],
    [
      { command: 'str_replace', path: '/memories/a.md', old_str: 'x', new_str: 'b' },
      'No replacement was performed. Multiple occurrences of old_str `x` in lines: 1, 3. Please ensure it is unique',
    ],
    [
      { command: 'insert', path: '/memories/no', insert_line: 0, insert_text: 'a' },
      'Error: The path /memories/no does not exist',
    ],
    [
      { command: 'insert', path: '/memories/a.md', insert_line: 9, insert_text: 'a' },
      'Error: Invalid `insert_line` parameter: 9. It should be within the range of lines of the file: [0, 4]',
    ],
    [
      { command: 'insert', path: '/memories/a.md', insert_line: -1, insert_text: 'a' },
      'Error: Invalid `insert_line` parameter: -1. It should be within the range of lines of the file: [0, 4]',
    ],
    [{ command: 'delete', path: '/memories/no' }, 'Error: The path /memories/no does not exist'],
    [
      { command: 'rename', old_path: '/memories/no', new_path: '/memories/b' },
      'Error: The path /memories/no does not exist',
    ],
    [
      { command: 'rename', old_path: '/memories/sub', new_path: '/memories/a.md' },
      'Error: The destination /memories/a.md already exists',
    ],
  ])('an error has the documented text: %j', async (input, text) => {
    verifies('toolbox.memory.commands');
    const memory = await memoryOf({ 'a.md': 'x1\nb\nx2\n', 'sub/b.md': 'b' });
    const result = await memory(input);
    expect(result.isError).toBe(true);
    expect(result.forLLM).toBe(text);
  });

  it('says which argument a command lacks, and keeps /memories itself', async () => {
    const memory = await memoryOf({ 'a.md': 'x' });
    expect(messageOf(await memory({ command: 'create', path: '/memories/b' }))).toBe(
      'The command `create` needs `file_text`.',
    );
    expect(messageOf(await memory({ command: 'rename', path: '/memories/a.md' }))).toContain('needs `old_path`');
    expect(messageOf(await memory({ command: 'delete', path: '/memories' }))).toBe(
      'Cannot delete the /memories directory itself',
    );
    expect(messageOf(await memory({ command: 'rename', old_path: '/memories/', new_path: '/memories/x' }))).toBe(
      'Cannot rename the /memories directory itself',
    );
    expect((await memory({ command: 'toString', path: '/memories' })).isError).toBe(true);
  });

  it('works the same in memory', async () => {
    const memory = await memoryOf({}, memoryWorkspace());
    await memory({ command: 'create', path: '/memories/a', file_text: 'x' });
    expect((await memory({ command: 'view', path: '/memories' })).forLLM).toContain('1B\t/memories/a');
  });
});

describe('memory: the user sees what was written', () => {
  it('shows the text that was added and removed, with control and hidden characters escaped', async () => {
    verifies('toolbox.memory.shown');
    const memory = await memoryOf();
    const created = await memory({
      command: 'create',
      path: '/memories/a.md',
      file_text: 'plain\u{1b}[2J\u{202e}evil\u{e0041} 👨\u200d👩\n',
    });
    expect(created.forUser).toContain('+++ b/memories/a.md');
    expect(created.forUser).toContain('+plain\\x1b[2J\\u202eevil\\u{e0041} 👨\u200d👩');
    const edited = await memory({ command: 'str_replace', path: '/memories/a.md', old_str: 'plain', new_str: 'new' });
    expect(edited.forUser).toContain('-plain');
    expect(edited.forUser).toContain('+new');
    expect(edited.forLLM).toContain('new\\x1b[2J');
    expect((await memory({ command: 'delete', path: '/memories/a.md' })).forUser).toBe(
      'Memory: deleted /memories/a.md',
    );
  });
});

describe('memory: hostile paths and files', () => {
  it.each([
    'memories/a',
    '/etc/passwd',
    '/memoriesx',
    '/memories/../outside',
    '/memories/a/../../outside',
    '/memories/%2e%2e/outside',
    '/memories/%2E%2E%2Foutside',
    '/memories/%252e%252e/outside',
    '/memories/..\\outside',
    '/memories/a\0b',
    '/memories/a\nb',
    '/memories/a\u{202e}b',
    '/memories/a\u{200b}b',
    '/memories/.memory.lock',
    '/memories/.git/config',
    '/memories/a/b/c/d/e/f/g/h/i',
    `/memories/${'x'.repeat(201)}`,
    '/memories//etc/../../../etc/passwd',
    '',
  ])('refuses %j in every command', async (path) => {
    verifies('toolbox.memory.confined');
    const memory = await memoryOf({ 'a/x.md': 'x' });
    for (const input of [
      { command: 'view', path },
      { command: 'create', path, file_text: 'x' },
      { command: 'str_replace', path, old_str: 'a', new_str: 'b' },
      { command: 'insert', path, insert_line: 0, insert_text: 'b' },
      { command: 'delete', path },
      { command: 'rename', old_path: path, new_path: '/memories/new' },
      { command: 'rename', old_path: '/memories/a', new_path: path },
    ]) {
      const result = await memory(input);
      expect({ input, isError: result.isError }).toEqual({ input, isError: true });
      expect(result.forLLM).not.toMatch(/[\0\u{202e}\u{200b}]/u);
    }
    expect((await memory({ command: 'view', path: '/memories' })).forLLM).toContain('1B\t/memories/a/x.md');
  });

  it('follows no link out, lists none, and never reads a file with a second name', async () => {
    verifies('toolbox.memory.confined');
    const outside = folderWith({ 'secret.txt': 'secret' });
    const workspace = await writable({ 'a.md': 'a' });
    const root = workspace.folder ?? '';
    symlinkSync(outside, join(root, 'out'));
    symlinkSync(join(outside, 'secret.txt'), join(root, 'secret.md'));
    linkSync(join(outside, 'secret.txt'), join(root, 'hard.md'));
    const memory = await memoryOf({}, workspace);
    const listing = await memory({ command: 'view', path: '/memories' });
    expect(listing.forLLM).not.toContain('out');
    for (const path of ['/memories/out', '/memories/out/secret.txt', '/memories/secret.md', '/memories/hard.md']) {
      const result = await memory({ command: 'view', path });
      expect(result.isError).toBe(true);
      expect(`${result.forLLM}${messageOf(result)}`).not.toMatch(/:\n.*secret$/);
    }
    await memory({ command: 'create', path: '/memories/out/new.md', file_text: 'x' });
    await memory({ command: 'str_replace', path: '/memories/hard.md', old_str: 'secret', new_str: 'x' });
    await memory({ command: 'delete', path: '/memories/out/secret.txt' });
    expect(readFileSync(join(outside, 'secret.txt'), 'utf8')).toBe('secret');
    expect(() => statSync(join(outside, 'new.md'))).toThrow('ENOENT');
  });

  it.each(['link', 'folder', 'text'])(
    'a %s in the place of its lock stops the write and is left alone',
    async (kind) => {
      verifies('toolbox.memory.confined');
      const outside = folderWith({ target: 'text' });
      const workspace = await writable();
      const lock = join(workspace.folder ?? '', '.memory.lock');
      const text = 'something else, and long enough to be read as a database'.repeat(50);
      if (kind === 'link') symlinkSync(join(outside, 'new'), lock);
      else if (kind === 'folder') mkdirSync(lock);
      else writeFileSync(lock, text);
      const memory = await memoryOf({}, workspace);
      expect((await memory({ command: 'create', path: '/memories/a', file_text: 'x' })).isError).toBe(true);
      expect(readdirSync(outside)).toEqual(['target']);
      expect(lstatSync(lock).isFile() ? readFileSync(lock, 'utf8') : text).toBe(text);
    },
  );

  it('does not read a huge or a binary file that somebody put there', async () => {
    const workspace = await writable();
    writeFileSync(join(workspace.folder ?? '', 'huge.md'), Buffer.alloc(100_000_000));
    writeFileSync(join(workspace.folder ?? '', 'bytes.md'), Uint8Array.from([0xff, 0xfe, 0x00]));
    const memory = await memoryOf({}, workspace);
    expect(messageOf(await memory({ command: 'view', path: '/memories/huge.md' }))).toContain('100000000 bytes');
    expect(messageOf(await memory({ command: 'view', path: '/memories/bytes.md' }))).toContain('not UTF-8');
    expect((await memory({ command: 'create', path: '/memories/b.md', file_text: 'x' })).forLLM).toContain(
      'at most 16777216 bytes',
    );
  });
});

describe('memory: limits', () => {
  it('counts the folders that a rename makes', async () => {
    verifies('toolbox.memory.limits');
    const call = caller(memoryTool(await writable({ a: 'x' }), { maxEntries: 3 }));
    const rename = (from: string, to: string) =>
      call('memory', { command: 'rename', old_path: `/memories/${from}`, new_path: `/memories/${to}` });
    expect(messageOf(await rename('a', 'b/c/d/a'))).toContain('at most 3 files and folders');
    expect((await rename('a', 'b/c/a')).isError).toBeUndefined();
    expect((await rename('b/c/a', 'b/a')).isError).toBeUndefined();
  });

  it('holds to the size of a file, of all files and their number, and says so', async () => {
    verifies('toolbox.memory.limits');
    const tool = memoryTool(await writable(), { maxFileBytes: 10, maxBytes: 25, maxEntries: 4 });
    const call = caller(tool);
    const create = (path: string, text: string) =>
      call('memory', { command: 'create', path: `/memories/${path}`, file_text: text });
    expect(messageOf(await create('a', 'x'.repeat(11)))).toContain('11 bytes; a memory file has at most 10');
    expect((await create('a', 'x'.repeat(10))).isError).toBeUndefined();
    expect((await create('b', 'ü'.repeat(5))).isError).toBeUndefined();
    expect(messageOf(await create('c', 'x'.repeat(6)))).toContain('at most 25 bytes, and 20 are used');
    expect((await create('c', 'x')).isError).toBeUndefined();
    expect(messageOf(await create('d/e', 'x'))).toContain('at most 4 files and folders');
    expect((await create('d', 'x')).isError).toBeUndefined();
    const insert = { command: 'insert', path: '/memories/a', insert_line: 0, insert_text: 'y' };
    expect(messageOf(await call('memory', insert))).toContain('at most 10');
    const shrink = { command: 'str_replace', path: '/memories/a', old_str: 'x'.repeat(10), new_str: 'x' };
    expect((await call('memory', shrink)).isError).toBeUndefined();
  });

  it('refuses limits that cannot be meant', async () => {
    const workspace = await writable();
    expect(() => memoryTool(workspace, { maxFileBytes: 0 })).toThrow('maxFileBytes');
  });

  it('writes nothing and makes no lock in a workspace that may not be written', async () => {
    const workspace = memoryWorkspace({ a: 'x' }, { write: [] });
    const memory = await memoryOf({}, workspace);
    expect((await memory({ command: 'create', path: '/memories/b', file_text: 'x' })).isError).toBe(true);
    expect((await workspace.list('.')).map(({ name }) => name)).toEqual(['a']);
  });

  it('keeps its files for the user alone', async () => {
    const workspace = await writable();
    const memory = await memoryOf({}, workspace);
    await memory({ command: 'create', path: '/memories/a', file_text: 'x' });
    expect(statSync(join(workspace.folder ?? '', 'a')).mode & 0o777).toBe(0o600);
    expect(statSync(join(workspace.folder ?? '', '.memory.lock')).mode & 0o777).toBe(0o600);
  });
});
