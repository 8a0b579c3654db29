import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { rgPath } from '@vscode/ripgrep';
import { expect, test } from 'vitest';
import { searchTextTool } from '../../src/files/index.ts';
import { createWorkspace, memoryWorkspace, overlayWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { cpuTimeOf } from '../../../../test/setup/cpu-time.ts';
import { folderWith } from '../workspace/folders.ts';

const signal = new AbortController().signal;

async function search(workspace: Workspace, input: object, ripgrep: string | false): Promise<string> {
  const registry = createRegistry([searchTextTool(workspace, { ripgrep })]);
  const result = await registry.call(
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
  'large.txt': `needle\n${'z'.repeat(1_048_570)}`,
  'fits.txt': `needle\n${'z'.repeat(1_048_569)}`,
  'unicode.txt': 'Straße STRASSE İstanbul istanbul ſ K k É é\n',
  'special.txt': 'a.b*c[d](e){f}|g^h$i\\j\n-rf --flag\n',
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
];

test('ripgrep changes no result and no order', async () => {
  verifies('toolbox.files.search');
  const root = folderWith(TREE);
  symlinkSync('a', join(root, 'link'));
  symlinkSync('a.txt', join(root, 'link.txt'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  const workspace = await createWorkspace({ root, deny: ['a/deep'] });
  const all = await createWorkspace({ root });
  for (const each of [all, workspace])
    for (const query of QUERIES)
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
    'late-nul.txt',
    'latin.txt',
    'long.txt',
    'sp ace/ü.txt',
  ]);
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
  const slow = await search(workspace, { query: '^(a+)+$', regex: true }, false);
  expect(slow).toContain('The pattern takes more than 1000 ms on "a.txt"');
  expect(await search(workspace, { query: '(', regex: true }, false)).toContain('"(" is not a regular expression');
  expect(await search(workspace, { query: 'A', regex: true }, false)).toContain('No line matches "A"');
  expect(await search(workspace, { query: String.raw`\Sa`, regex: true }, false)).toContain('a.txt:1: aaa');
});

test('ten thousand files take at most ten times as long as ripgrep needs without it, and twice as long with it', async () => {
  const root = folderWith();
  for (let folder = 0; folder < 100; folder += 1) {
    mkdirSync(join(root, `f${folder}`));
    for (let file = 0; file < 100; file += 1)
      writeFileSync(
        join(root, `f${folder}/s${file}.ts`),
        `export const value${file} = ${folder};\n`.repeat(40) +
          (file === 50 && folder % 10 === 0 ? 'the needle\n' : ''),
      );
  }
  const workspace = await createWorkspace({ root });
  const fastest = async (work: () => unknown): Promise<number> => {
    const times: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const start = performance.now();
      await work();
      times.push(performance.now() - start);
    }
    return Math.min(...times);
  };
  // Other tests run beside this one: without ripgrep one thread does the work, so that its processor time is compared with that of ripgrep's threads.
  const loop = 'for i in 1 2 3 4 5 6 7 8 9 10; do "$0" --json --hidden -i -F "the needle" . > /dev/null; done; times';
  const times = execFileSync('sh', ['-c', loop, rgPath], { cwd: root, encoding: 'utf8' }).split('\n')[1] ?? '';
  const parts = [...times.matchAll(/(\d+)m([\d.]+)s/g)].map(
    ([, minutes, seconds]) => Number(minutes) * 60 + Number(seconds),
  );
  const cpu = parts.reduce((sum, each) => sum + each, 0) * 100;
  const rounds: number[] = [];
  for (let round = 0; round < 5; round += 1)
    rounds.push(await cpuTimeOf(() => search(workspace, { query: 'the needle' }, false)));
  const own = Math.min(...rounds);
  const withRipgrep = await fastest(() => search(workspace, { query: 'the needle' }, rgPath));
  const ripgrep = await fastest(() =>
    execFileSync(rgPath, ['--json', '--hidden', '-i', '-F', 'the needle', '.'], { cwd: root }),
  );
  console.log(
    `search_text, 10,000 files: ripgrep ${ripgrep.toFixed(0)} ms (processor ${cpu.toFixed(0)} ms), with it ${withRipgrep.toFixed(0)} ms, without processor ${own.toFixed(0)} ms`,
  );
  expect(own / cpu).toBeLessThan(10);
  expect(withRipgrep / ripgrep).toBeLessThan(2);
});
