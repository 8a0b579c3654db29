import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KernelError, callTool } from '@kernel/protocol';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import { createWorkspace, memoryWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';

const signal = new AbortController().signal;

async function call(workspace: Workspace, name: string, input: object): Promise<string> {
  const registry = createRegistry(fileTools(workspace, { ripgrep: false }));
  const toolCall = { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) } as const;
  return (await callTool(registry, toolCall, { signal })).forLLM;
}

test('a search looks at files of any size and lines of any length, in pieces', async () => {
  verifies('toolbox.files.skipped');
  const folder = folderWith({
    'big.log': `${'a line of a log\n'.repeat(100_000)}the needle is here\n${'more\n'.repeat(300_000)}`,
    'bundle.js': `x=1;${'a😀b;'.repeat(500_000)}needle();${'y=2;'.repeat(100_000)}`,
  });
  const workspace = await createWorkspace({ root: folder });
  const lengths: number[] = [];
  const watched: Workspace = {
    ...workspace,
    read: async (path, options) => {
      const content = await workspace.read(path, options);
      lengths.push(content.bytes.length);
      return content;
    },
  };
  expect(await call(watched, 'search_text', { query: 'needle', path: 'big.log' })).toBe(
    'big.log:100001: the needle is here',
  );
  const found = await call(watched, 'search_text', { query: 'needle' });
  expect(found.split('\n')).toHaveLength(2);
  expect(found).toMatch(/^bundle\.js:1: ….*b;needle\(\);y=2;.*… \(column 2500005\)$/m);
  expect(found.isWellFormed()).toBe(true);
  expect(await call(watched, 'search_text', { query: 'need.e\\(\\);y', regex: true })).toContain('(column 2500005)');
  expect(Math.max(...lengths)).toBeLessThanOrEqual(1_048_576);
});

test('a search with back references reads files of ordinary lines', async () => {
  verifies('toolbox.files.search');
  const prose = 'The quick brown fox jumps over the lazy dog, and nothing that it says is said twice.\n';
  const html = '<ul class="list">\n<li><a href="b">one</a></li>\n</ul>\n';
  const workspace = memoryWorkspace({ 'a.txt': `${prose.repeat(2000)}Now it is is said.\n`, 'b.html': html });
  const search = (query: string) => call(workspace, 'search_text', { query, regex: true });
  expect(await search(String.raw`\b(\w+)\s+\1\b`)).toBe('a.txt:2001: Now it is is said.');
  expect(await search(String.raw`<(\w+)[^>]*>.*?</\1>`)).toBe('b.html:2: <li><a href="b">one</a></li>');
});

test('a line longer than what is held of one is searched in parts that overlap, and told once', async () => {
  verifies('toolbox.files.skipped');
  const wide = `${'z'.repeat(4_194_300)}needle${'z'.repeat(5_000_000)}needle`;
  const workspace = memoryWorkspace({ 'one.txt': `first\n${wide}\nlast needle\n` });
  const found = await call(workspace, 'search_text', { query: 'needle' });
  expect(found.split('\n').map((line) => line.replace(/: …?z+.*… /, ' '))).toEqual([
    'one.txt:2 (column 4194301)',
    'one.txt:3: last needle',
  ]);
});

test('a search without a match says what it has not looked at, and why', async () => {
  verifies('toolbox.files.skipped');
  const inner = memoryWorkspace({ 'a.png': Buffer.from('\x89PNG\0'), 'b.txt': 'b', 'c.txt': 'c', 'locked/d.txt': 'd' });
  const refuse = (path: string): never => {
    throw new KernelError('TOOL_FAILED', `"${path}": permission denied.`, {
      cause: Object.assign(new Error('EACCES'), { code: 'EACCES' }),
    });
  };
  const workspace: Workspace = {
    ...inner,
    read: async (path, options) => (path === 'c.txt' ? refuse(path) : inner.read(path, options)),
    list: async (path, options) => (path === 'locked' ? refuse(path) : inner.list(path, options)),
  };
  expect(await call(workspace, 'search_text', { query: 'nothing' })).toBe(
    'No line contains "nothing" in the files of the workspace. Not searched: 1 binary file ("a.png"), what cannot be read ("c.txt": permission denied, "locked": permission denied), links, node_modules, and what .gitignore or a rule leaves out.',
  );
  expect(await call(workspace, 'search_text', { query: 'b' })).toBe(
    'b.txt:1: b\n(Not searched: what cannot be read ("c.txt": permission denied, "locked": permission denied).)',
  );
  expect(await call(workspace, 'search_text', { query: 'PNG', path: 'a.png' })).toContain(
    '"a.png" is a binary file (6 bytes)',
  );
  expect(await call(workspace, 'search_text', { query: 'c', path: 'c.txt' })).toContain('permission denied');
  expect(await call(workspace, 'search_text', { query: 'x', path: 'b.txt' })).toBe('No line contains "x" in "b.txt".');
  expect(await call(workspace, 'glob', { pattern: '*.txt' })).toContain(
    '(without what cannot be read ("locked": permission denied))',
  );
});

test('a line that is too long is read in parts', async () => {
  verifies('toolbox.files.longLine');
  const line = `start ${'é😀'.repeat(300_000)} end`;
  const folder = folderWith({ 'a.js': `short\n${line}\nlast\n` });
  const workspace = await createWorkspace({ root: folder });
  let read = '';
  let input: { path: string; offset: number; column?: number } = { path: 'a.js', offset: 2 };
  for (let step = 0; step < 10; step += 1) {
    const text = await call(workspace, 'read_file', input);
    const [, part = '', column] =
      /^([^\n]*)(?:\nlast)?(?:\n… \(a part of line 2; continue with offset 2, column (\d+)\))?$/.exec(text) ?? [];
    expect(part.isWellFormed()).toBe(true);
    read += part;
    if (column === undefined) break;
    input = { path: 'a.js', offset: 2, column: Number(column) };
  }
  expect(read).toBe(line);
  expect(await call(workspace, 'read_file', { path: 'a.js', offset: 2, column: 900_008, limit: 1 })).toBe(
    'end\n… (more; continue with offset 3)',
  );
  expect(await call(workspace, 'read_file', { path: 'a.js', offset: 2, column: 9_000_000, limit: 1 })).toBe(
    '(Line 2 has 900010 characters: there is no column 9000000.)',
  );
  // A column in the middle of a character.
  expect(await call(workspace, 'read_file', { path: 'a.js', offset: 2, column: 900_006, limit: 1 })).toMatch(
    /^ end|^😀 end/,
  );
  writeFileSync(join(folder, 'b.txt'), `${'x'.repeat(300_000)}\nsecond\n`);
  expect((await call(workspace, 'read_file', { path: 'b.txt' })).slice(-90)).toContain(
    '(the first 262144 of 300008 bytes; continue with offset 1, column 262145)',
  );
  expect(await call(workspace, 'read_file', { path: 'b.txt', column: 299_999 })).toBe('xx\nsecond');
});

test('a folder that is ignored is looked through where it is named', async () => {
  verifies('toolbox.files.skipped');
  const workspace = memoryWorkspace({
    '.gitignore': 'build/\nnode_modules/\n*.log\n',
    'build/a.txt': 'needle',
    'build/x.log': 'needle',
    'node_modules/p/i.js': 'needle',
    'node_modules/p/.gitignore': 'own.txt',
    'node_modules/p/own.txt': 'needle',
    'node_modules/p/node_modules/q/i.js': 'needle',
  });
  expect(await call(workspace, 'search_text', { query: 'needle' })).toContain('No line contains');
  expect(await call(workspace, 'search_text', { query: 'needle', path: 'build' })).toBe(
    'build/a.txt:1: needle\nbuild/x.log:1: needle',
  );
  expect(await call(workspace, 'search_text', { query: 'needle', path: 'node_modules/p' })).toBe(
    'node_modules/p/i.js:1: needle',
  );
  expect(await call(workspace, 'glob', { pattern: '*.js', path: 'node_modules/p' })).toBe('node_modules/p/i.js');
});

test('links and media are named where they were left out', async () => {
  verifies('toolbox.files.skipped');
  const folder = folderWith({ 'real/a.txt': 'needle', 'b.pdf': `%PDF-1.7\n${'needle\n'.repeat(3000)}` });
  symlinkSync('real', join(folder, 'link'));
  const workspace = await createWorkspace({ root: folder });
  expect(await call(workspace, 'glob', { pattern: '*.txt' })).toBe('real/a.txt\n(without 1 link ("link"))');
  expect(await call(workspace, 'search_text', { query: 'needle' })).toBe('real/a.txt:1: needle');
  expect(await call(workspace, 'search_text', { query: 'nothing' })).toContain(
    'Not searched: 1 binary file ("b.pdf"), links,',
  );
});
