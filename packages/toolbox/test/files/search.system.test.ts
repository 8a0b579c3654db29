import { callTool } from '@kernel/protocol';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { rgPath } from '@vscode/ripgrep';
import { expect, test } from 'vitest';
import { searchTextTool } from '../../src/files/index.ts';
import { createWorkspace, memoryWorkspace, overlayWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';

const signal = new AbortController().signal;

async function search(workspace: Workspace, input: object, ripgrep: string | false): Promise<string> {
  const registry = createRegistry([searchTextTool(workspace, { ripgrep })]);
  const result = await callTool(
    registry,
    { type: 'tool-call', id: '1', name: 'search_text', arguments: JSON.stringify(input) },
    { signal },
  );
  return result.forLLM;
}

const TREE = {
  'a.txt': 'needle one\nNEEDLE two\r\nnothing\nNeedle',
  'a/b.txt': 'needle\n',
  'a-b.txt': 'needle\n',
  'a/deep/c.txt': 'x needle y\n',
  'a/.gitignore': 'skip*\n!skip-not.txt\n/only-here\n',
  'a/skip.txt': 'needle',
  'a/skip-not.txt': 'needle',
  'a/only-here': 'needle',
  'a/deep/only-here': 'needle',
  '.gitignore': '*.log\nbuild/\n/root-only.txt\n**/cache/**\n# comment\n\\#hash\ntrailing \n',
  '.ignore': 'a.txt\n',
  '.rgignore': 'a.txt\n',
  'x.log': 'needle',
  '!x.log': 'needle',
  'build/out.txt': 'needle',
  'a/build/out.txt': 'needle',
  'root-only.txt': 'needle',
  'a/root-only.txt': 'needle',
  'cache/x/y.txt': 'needle',
  '.hidden/h.txt': 'needle',
  '.env': 'needle',
  'keys/id_rsa': 'needle',
  '.git/config': 'needle',
  'node_modules/p/i.js': 'needle',
  'sub/node_modules/p/i.js': 'needle',
  'binary.bin': Uint8Array.from([...Buffer.from('needle'), 0]),
  'late-nul.txt': `${'needle '.repeat(2000)}\0`,
  'utf16.txt': Buffer.from('\uFEFFneedle', 'utf16le'),
  'latin.txt': Uint8Array.from([0xe9, 0x20, ...Buffer.from('needle'), 0xe9]),
  'bom.txt': '\uFEFFneedle',
  'long.txt': `${'y'.repeat(1000)}needle`,
  'utf16-be.txt': Buffer.from('unmarked NÉEDLE ſk K\n', 'utf16le').swap16(),
  'utf16-le.txt': Buffer.from('unmarked néedle\n', 'utf16le'),
  'mixed.txt': Buffer.concat([Buffer.from('née néedle '), Uint8Array.of(0xe9), Buffer.from('needl\n')]),
  'large.txt': `needle\n${'z'.repeat(1_048_570)}`,
  'fits.txt': `needle\n${'z'.repeat(1_048_569)}`,
  'unicode.txt': 'Straße STRASSE İstanbul istanbul ſ K k É é\n',
  'special.txt': 'a.b*c[d](e){f}|g^h$i\\j\n-rf --flag\n',
  'forms.txt': 'cafe\u0301 \u1112\u1161\u11ab\ncafé 한\n',
  'empty.txt': '',
  'sp ace/ü.txt': 'needle ü\n',
};

const QUERIES: readonly object[] = [
  { query: 'needle' },
  { query: 'NEEDLE' },
  { query: 'Needle' },
  { query: 'needle', path: 'a' },
  { query: 'needle', path: 'a/deep' },
  { query: 'needle', path: 'a/skip.txt' },
  { query: 'needle', path: 'build' },
  { query: 'needle', glob: '*.txt' },
  { query: 'needle', glob: 'deep/**', path: 'a' },
  { query: 'a.b*c[d](e){f}|g^h$i\\j' },
  { query: '--flag' },
  { query: '-rf' },
  { query: 'straße' },
  { query: 'istanbul' },
  { query: 'k' },
  { query: 's' },
  { query: 'é' },
  { query: 'É' },
  { query: 'İ' },
  { query: 'needle\n' },
  { query: 'two\r' },
  { query: 'nowhere at all' },
  { query: '.*' },
  { query: 'n.edle', regex: true },
  { query: '^needle$', regex: true },
  { query: 'ü' },
  { query: 'unmarked' },
  { query: 'café' },
  { query: 'Café' },
  { query: '\u1112\u1161\u11ab' },
  { query: 'néedle' },
  { query: 'NÉEDLE' },
  { query: 'sk' },
  { query: '中' },
  { query: 'z', path: 'large.txt' },
  { query: '{"a": [1]}' },
];

test('ripgrep changes no result and no order', async () => {
  verifies('toolbox.files.search');
  const root = folderWith(TREE);
  symlinkSync('a', join(root, 'link'));
  symlinkSync('a.txt', join(root, 'link.txt'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const workspace = await createWorkspace({ root, deny: ['a/deep'] });
  const all = await createWorkspace({ root });
  for (const [each, queries] of [
    [all, QUERIES],
    [workspace, QUERIES.slice(0, 6)],
  ] as const)
    for (const query of queries)
      expect([query, await search(each, query, rgPath)]).toEqual([query, await search(each, query, false)]);
  const found = await search(all, { query: 'needle' }, rgPath);
  expect(found.split('\n').map((line) => line.split(':')[0])).toEqual([
    '.hidden/h.txt',
    'a/b.txt',
    'a/deep/c.txt',
    'a/deep/only-here',
    'a/root-only.txt',
    'a/skip-not.txt',
    'a-b.txt',
    'a.txt',
    'a.txt',
    'a.txt',
    'bom.txt',
    'fits.txt',
    'large.txt',
    'late-nul.txt',
    'latin.txt',
    'long.txt',
    'sp ace/ü.txt',
    'utf16.txt',
  ]);
});

test('letters with marks are found in either Unicode form, in texts and in names', async () => {
  verifies('toolbox.files.search');
  const name = 'Schro\u0308der.md';
  const workspace = memoryWorkspace({ [name]: 'cafe\u0301 \u1112\u1161\u11ab\ncafé 한\n' });
  for (const query of ['café', 'cafe\u0301', '한', '\u1112\u1161\u11ab'])
    expect((await search(workspace, { query }, false)).split('\n')).toHaveLength(2);
  for (const form of ['NFC', 'NFD'])
    for (const pattern of ['*chröder.md', '**/Schröder.*', 'Schr[ö]der.md', '{Schröder,x}.md'])
      expect(await search(workspace, { query: 'caf', glob: pattern.normalize(form) }, false)).toContain(`${name}:1`);
});

test('a ripgrep that fails or is none is done without', async () => {
  const root = folderWith({ 'a.txt': 'needle' });
  const workspace = await createWorkspace({ root });
  for (const program of ['/no/such/rg', process.execPath])
    expect(await search(workspace, { query: 'needle' }, program)).toBe('a.txt:1: needle');
});

test('what another workspace holds is searched as it is there', async () => {
  const memory = memoryWorkspace({ 'a.txt': 'needle', '.gitignore': 'b.txt', 'b.txt': 'needle' });
  expect(await search(memory, { query: 'needle' }, rgPath)).toBe('a.txt:1: needle');
  const overlay = overlayWorkspace(await createWorkspace({ root: folderWith({ 'a.txt': 'needle' }), write: ['**'] }));
  await overlay.write('b.txt', 'a needle');
  await overlay.remove('a.txt');
  expect(await search(overlay, { query: 'needle' }, rgPath)).toBe('b.txt:1: a needle');
});

test('no pattern makes a search hang, and a wrong one is told', async () => {
  verifies('toolbox.files.search');
  const workspace = memoryWorkspace({ 'a.txt': `${'a'.repeat(5000)}!` });
  expect(await search(workspace, { query: '^(a+)+$', regex: true }, false)).toContain('No line matches');
  expect(await search(workspace, { query: '(a+)+!', regex: true }, false)).toContain('a.txt:1: aaa');
  const unbounded = await search(workspace, { query: String.raw`^(.*)(.*)\1\2x`, regex: true }, false);
  expect(unbounded).toContain('The pattern takes too many steps on "a.txt"; write one without back references.');
  expect(await search(workspace, { query: '(', regex: true }, false)).toContain('"(" is not a regular expression');
  expect(await search(workspace, { query: 'A', regex: true }, false)).toContain('No line matches "A"');
  expect(await search(workspace, { query: String.raw`\Sa`, regex: true }, false)).toContain('a.txt:1: aaa');
});

/** A workspace of this many files in folders of a hundred, with a note of what is read. */
async function manyFiles(count: number) {
  const root = folderWith();
  for (let at = 0; at < count; at += 1) {
    const [folder, file] = [Math.floor(at / 100), at % 100];
    if (file === 0) mkdirSync(join(root, `f${folder}`));
    const hit = file === 50 && folder % 10 === 0 ? 'the needle\n' : '';
    writeFileSync(join(root, `f${folder}/s${file}.ts`), `export const value${file} = ${folder};\n`.repeat(40) + hit);
  }
  const workspace = await createWorkspace({ root });
  const reads: string[] = [];
  const watched: Workspace = {
    ...workspace,
    read(path, options) {
      reads.push(path);
      return workspace.read(path, options);
    },
  };
  return { workspace, watched, reads };
}

test('of ten thousand files each is read once, and with ripgrep, which is asked once, only those that contain the text', async () => {
  verifies('toolbox.files.search');
  const { reads, watched } = await manyFiles(10_000);
  expect((await search(watched, { query: 'the needle' }, false)).split('\n')).toHaveLength(10);
  expect([reads.length, new Set(reads).size]).toEqual([10_000, 10_000]);
  reads.length = 0;
  const program = join(folderWith(), 'rg');
  writeFileSync(program, `#!/bin/sh\necho asked >> "$0.log"\nexec '${rgPath}' "$@"\n`, { mode: 0o755 });
  expect((await search(watched, { query: 'the needle' }, program)).split('\n')).toHaveLength(10);
  expect(readFileSync(`${program}.log`, 'utf8')).toBe('asked\n');
  expect([reads.length, new Set(reads).size]).toEqual([10, 10]);
});
