import { callTool } from '@kernel/protocol';
import { mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { beforeEach, describe, expect, test } from 'vitest';
import { createWorkspace } from '../../src/workspace/index.ts';
import { fileTools } from '../../src/files/index.ts';
import { fakeEditor } from '../workspace/fake-editor.ts';
import { folderWith } from '../workspace/folders.ts';

const signal = new AbortController().signal;
let folder: string;
let call: (name: string, input: object, stop?: AbortSignal) => Promise<{ forLLM: string; isError?: boolean }>;

describe.each([
  { name: 'on disk', editor: undefined },
  { name: 'through an editor', editor: fakeEditor().files },
])('in a workspace $name,', ({ editor }) => {
  beforeEach(async () => {
    folder = folderWith({
      'a.txt': 'needle here\nand NEEDLE there\n',
      'sub/b.txt': 'a needle\n',
      'sub/.gitignore': 'secret.txt\n!kept.log\n',
      'sub/secret.txt': 'needle',
      'sub/kept.log': 'needle kept',
      '.gitignore': '*.log\nbuild/\n',
      'x.log': 'needle',
      'build/out.txt': 'needle',
      'node_modules/p/i.js': 'needle',
      '.git/config': 'needle',
      'binary.bin': Uint8Array.from([0x6e, 0, 0x65]),
      'empty.txt': '',
    });
    const registry = createRegistry(fileTools(await createWorkspace({ root: folder, editor })));
    call = (name, input, stop = signal) =>
      callTool(registry, { type: 'tool-call', id: '1', name, arguments: JSON.stringify(input) }, { signal: stop });
  });

  test('a search leaves out ignored files, node_modules and .git, and tells path and line', async () => {
    expect((await call('search_text', { query: 'needle' })).forLLM).toBe(
      'a.txt:1: needle here\na.txt:2: and NEEDLE there\nsub/b.txt:1: a needle\nsub/kept.log:1: needle kept',
    );
    expect((await call('search_text', { query: 'NEEDLE' })).forLLM).toBe('a.txt:2: and NEEDLE there');
    expect((await call('search_text', { query: 'needle', path: 'sub' })).forLLM).toContain('sub/b.txt:1: a needle');
    expect((await call('search_text', { query: 'needle', path: 'sub/secret.txt' })).forLLM).toBe(
      'sub/secret.txt:1: needle',
    );
    expect((await call('search_text', { query: '.*' })).forLLM).toBe(
      'No line contains ".*" in the files of the workspace. It was searched for literally; with regex: true it is a regular expression. Not searched: 1 binary file ("binary.bin"), links, node_modules, and what .gitignore or a rule leaves out.',
    );
  });

  test('a search leaves out what a repository ignores for its owner alone, unless a .gitignore brings it back', async () => {
    for (const name of ['.git/info', 'sub/.git/info']) mkdirSync(join(folder, name), { recursive: true });
    writeFileSync(join(folder, '.git/info/exclude'), 'a.txt\n*.log\n');
    writeFileSync(join(folder, 'sub/.git/info/exclude'), '/b.txt\n');
    expect((await call('search_text', { query: 'needle' })).forLLM).toBe('sub/kept.log:1: needle kept');
    expect((await call('glob', { pattern: '**/*.{txt,log}' })).forLLM).toBe('empty.txt\nsub/kept.log');
  });

  test('a search stops at its limit and on an abort', async () => {
    writeFileSync(join(folder, 'many.txt'), 'needle\n'.repeat(500));
    const { forLLM } = await call('search_text', { query: 'needle', path: 'many.txt' });
    expect(forLLM.split('\n')).toHaveLength(201);
    expect(forLLM).toContain('more than 200 lines');
    const aborted = await call('search_text', { query: 'needle' }, AbortSignal.abort());
    expect(aborted.isError).toBe(true);
  });

  test('binary, missing and wrong kinds of files are named as such', async () => {
    expect((await call('read_file', { path: 'binary.bin' })).forLLM).toContain('is a binary file (3 bytes)');
    expect((await call('read_file', { path: 'A.TXT' })).forLLM).toContain('Did you mean "a.txt"?');
    expect((await call('read_file', { path: 'sub' })).forLLM).toContain('"sub" is not a file');
    expect((await call('list_directory', { path: 'a.txt' })).forLLM).toContain('"a.txt" is a file, not a folder');
    expect((await call('read_file', { path: 'empty.txt' })).forLLM).toBe('');
  });

  test('a long file is cut at 256 KiB and says so', async () => {
    writeFileSync(join(folder, 'long.txt'), 'é'.repeat(200_000));
    const { forLLM } = await call('read_file', { path: 'long.txt' });
    expect(forLLM).toMatch(/… \(the first 262144 of 400000 bytes; continue with offset 1, column 131073\)$/);
    expect(forLLM).not.toContain('\uFFFD');
  });

  test.each(['..', '../x', 'sub/../../x', '/etc/passwd', 'C:\\x', '\\\\host\\share', 'a\0b'])(
    '%j is refused by every file tool',
    async (path) => {
      for (const [name, input] of [
        ['read_file', { path }],
        ['list_directory', { path }],
        ['search_text', { query: 'x', path }],
      ] as const) {
        const { isError, forLLM } = await call(name, input);
        expect(isError).toBe(true);
        expect(forLLM).toMatch(/absolute path|leaves the workspace|NUL|There is no/);
      }
    },
  );

  test('links are followed inside and refused outside', async () => {
    const outside = folderWith({ 'secret.txt': 'outside secret' });
    symlinkSync('a.txt', join(folder, 'in'));
    symlinkSync(join(outside, 'secret.txt'), join(folder, 'out'));
    symlinkSync(outside, join(folder, 'outdir'));
    symlinkSync('loop', join(folder, 'loop'));
    expect((await call('read_file', { path: 'in' })).forLLM).toContain('needle here');
    for (const path of ['out', 'outdir/secret.txt', 'loop', 'outdir/nothing']) {
      const { isError, forLLM } = await call('read_file', { path });
      expect(isError).toBe(true);
      expect(forLLM).not.toContain('outside secret');
    }
    expect((await call('list_directory', { path: 'outdir' })).isError).toBe(true);
    expect((await call('search_text', { query: 'secret', path: '.' })).forLLM).not.toContain('outside');
  });

  test('a folder that is swapped for a link while files are read never gives a file from outside', async () => {
    const outside = folderWith({ 'b.txt': 'outside secret' });
    const stop = new AbortController();
    const swap = async () => {
      while (!stop.signal.aborted) {
        renameSync(join(folder, 'sub'), join(folder, 'sub-real'));
        symlinkSync(outside, join(folder, 'sub'));
        await new Promise((resolve) => setImmediate(resolve));
        renameSync(join(folder, 'sub'), join(folder, `gone-${Math.random()}`));
        renameSync(join(folder, 'sub-real'), join(folder, 'sub'));
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const swapping = swap();
    for (let round = 0; round < 200; round += 1) {
      expect((await call('read_file', { path: 'sub/b.txt' })).forLLM).not.toContain('outside secret');
    }
    stop.abort();
    await swapping;
  });

  test('a glob may begin with the folder of the workspace, and one that leads elsewhere says so', async () => {
    const found = async (input: object): Promise<string> => (await call('glob', input)).forLLM;
    expect(await found({ pattern: join(folder, 'sub/*.txt') })).toBe('sub/b.txt');
    expect(await found({ pattern: join(folder, 'sub/*.txt'), path: 'sub' })).toBe('sub/b.txt');
    expect(await found({ pattern: 'sub/../a.*' })).toBe('a.txt');
    expect(await found({ pattern: '../*.txt' })).toContain('"../*.txt" leaves the workspace');
    expect(await found({ pattern: '../a.*', path: 'sub' })).toContain('is not below "sub"');
  });

  test('a search that cannot find anything says why', async () => {
    verifies('toolbox.files.absent');
    const search = async (input: object): Promise<string> => (await call('search_text', input)).forLLM;
    expect(await search({ query: 'needle', glob: 'src/**' })).toContain(
      'No file of the workspace fits the glob "src/**", so nothing was searched.',
    );
    expect(await search({ query: 'needle', glob: 'empty.*' })).toContain('No line contains "needle"');
    expect(await search({ query: 'needle here\nand NEEDLE' })).toContain('the query has a line break');
    expect(await search({ query: 'needle here\n' })).toBe('a.txt:1: needle here');
    expect(await search({ query: String.raw`here\nand`, regex: true })).toContain('without its line break');
    for (const query of ['here|there', String.raw`needle\(`, 'n.*e'])
      expect(await search({ query })).toContain('with regex: true it is a regular expression');
    for (const query of ['a || b', 'x.y', 'f(x)?']) expect(await search({ query })).not.toContain('regex: true');
  });

  test('an accented letter is found in either form of Unicode', async () => {
    verifies('toolbox.files.absent');
    writeFileSync(join(folder, 'nfd.txt'), 'cafe\u0301\n');
    writeFileSync(join(folder, 'nfc.txt'), 'caf\u00E9\n');
    for (const query of ['cafe\u0301', 'caf\u00E9'])
      expect((await call('search_text', { query })).forLLM.split('\n')).toHaveLength(2);
  });

  test('a folder that a glob names is looked in, and one that it names as a file is told', async () => {
    verifies('toolbox.files.absent');
    expect((await call('glob', { pattern: 'build/*' })).forLLM).toBe('build/out.txt');
    expect((await call('glob', { pattern: 'node_modules/**/*.js' })).forLLM).toBe('node_modules/p/i.js');
    expect((await call('search_text', { query: 'needle', glob: 'build/**' })).forLLM).toBe('build/out.txt:1: needle');
    expect((await call('glob', { pattern: '**/out.txt' })).forLLM).toContain('No file matches');
    for (const pattern of ['sub', 'sub/', 'sub/../sub'])
      expect((await call('glob', { pattern })).forLLM).toContain('"sub" is a folder, and this finds files');
  });
});
