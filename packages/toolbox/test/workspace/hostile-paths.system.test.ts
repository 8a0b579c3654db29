import { execFileSync } from 'node:child_process';
import { linkSync, mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createWorkspace, memoryWorkspace, overlayWorkspace, type Workspace } from '../../src/workspace/index.ts';
import { fakeEditor } from './fake-editor.ts';
import { folderWith } from './folders.ts';

const SECRET = 'SECRET-OUTSIDE';
const INSIDE = { 'a.txt': 'a', 'sub/b.txt': 'b', '.env': SECRET, 'keys/id_rsa': SECRET, '.git/config': SECRET };

/** Paths that must lead to nothing outside, whatever is there; `{out}` is the folder outside, `{root}` the workspace. */
function hostilePaths(root: string, outside: string): readonly string[] {
  const targets = ['secret.txt', 'x/secret.txt', ''];
  const name = basename(outside);
  const climbs = [
    '..',
    '../..',
    'sub/../..',
    './..',
    '..//',
    'sub/../../sub/..',
    '.../..',
    'a.txt/../..',
    '../../../../../..',
  ];
  const traversal = climbs.flatMap((climb) => targets.map((target) => `${climb}/${name}/${target}`));
  const absolute = [
    outside,
    `${outside}/secret.txt`,
    `/${outside}/secret.txt`,
    `${root}/../${name}/secret.txt`,
    `${root}x/secret.txt`,
    dirname(root),
    '/',
    '//',
    '/etc/passwd',
    '/etc/shadow',
    '/root/.ssh/id_rsa',
    '/dev/zero',
    '/dev/stdin',
    '/dev/fd/0',
    '/proc/self/environ',
    '/proc/self/fd/0',
    `/proc/self/root${outside}/secret.txt`,
    '/proc/self/cwd',
    '/sys/kernel',
    '~/.ssh/id_rsa',
    '~root/x',
    `file://${outside}/secret.txt`,
    'C:\\Windows\\win.ini',
    'c:/x',
    'C:x',
    '\\\\host\\share\\x',
    '//host/share/x',
    '\\\\?\\C:\\x',
    '\\\\.\\pipe\\x',
  ];
  const encodings = [
    '%2e%2e/',
    '%2e%2e%2f',
    '..%2f',
    '..%c0%af',
    '%c0%ae%c0%ae/',
    '..\\',
    '..\\/',
    '\u2024\u2024/',
    '\uff0e\uff0e/',
    '．．／',
    '..\u2215',
    '..\uff0f',
    '..\u200b/',
    '.\u200b./',
    '..\u0000/',
    '\\..\\..',
    '..;/',
    '..%00/',
    '\u202e../',
  ];
  const encoded = encodings.flatMap((each) => targets.slice(0, 2).map((target) => `${each}${name}/${target}`));
  const links = [
    'to-secret',
    'to-outside',
    'to-outside/secret.txt',
    'to-outside/new.txt',
    'to-outside/../a.txt',
    'chain',
    'chain2',
    'loop',
    'loop/x',
    'loop-a',
    'dangling',
    'dangling-outside',
    'to-parent',
    `to-parent/${name}/secret.txt`,
    'to-root',
    'to-root/etc/passwd',
    'to-proc',
    'to-proc/environ',
    'to-proc/fd/0',
    'to-proc/root',
    'to-proc/cwd',
    'to-dev',
    'to-dev/zero',
    'to-zero',
    'to-null',
    'to-tty',
    'hard',
    'sub/hard',
    'pipe',
    'socket',
    'sub/to-secret',
    'sub/deep-link/secret.txt',
    'to-env',
    'to-keys',
    'to-keys/id_rsa',
    'to-self-fd',
    'pipe/x',
    'a.txt/x',
    'a.txt/',
    'hard/',
    'to-secret/',
    'to-outside/',
    'to-outside/.',
    'to-outside/..',
    'node_modules/to-secret',
  ];
  const credentials = [
    '.env',
    '.ENV',
    './.env',
    'sub/../.env',
    '.env/',
    '.Env',
    '.env.local',
    'keys/id_rsa',
    'KEYS/ID_RSA',
    'keys/id_rsa.bak',
    'keys/ID_rsa',
    '.git/config',
    '.GIT/config',
    '.git',
    '.g\u200cit/config',
    '.gi\u0074/config',
    '.git/hooks/pre-commit',
    'sub/.git/config',
    '.ssh/authorized_keys',
    '.SSH/config',
    '.npmrc',
    '.netrc',
    'x.pem',
    'X.PEM',
    'server.key',
    '.aws/credentials',
    'sub/.aws/x',
    '.e\u00adnv',
    '\u200b.env',
  ];
  const odd = [
    '',
    '.',
    './',
    '././.',
    '/.',
    'a.txt\0',
    'a.txt\0.png',
    '\0',
    'a\nb',
    'a\rb',
    'a\u001b[2Jb',
    'a\u202eb',
    ' a.txt',
    'a.txt ',
    'a.txt.',
    'a.txt...',
    'a.txt::$DATA',
    'a.txt:stream',
    'CON',
    'NUL',
    'aux.txt',
    'COM1',
    'x'.repeat(256),
    'x'.repeat(5000),
    `${'d/'.repeat(2100)}x`,
    `${'../'.repeat(2000)}etc/passwd`,
    'caf\u00e9',
    'cafe\u0301',
    '\ud800',
    '\udfff/x',
    '-rf',
    '--',
    '*',
    '?',
    '[a]',
    '{a,b}',
    '$HOME',
    '`id`',
    '$(id)',
    '|id',
    '>x',
    '&',
    ';',
    '!',
    '#',
    '"',
    "'",
    '\\',
    '\\n',
    '__proto__',
    'constructor',
    'toString',
    '__proto__/x',
    'hasOwnProperty',
    '.toolbox-0123456789abcdef.tmp',
  ];
  const mixed = ['sub', 'sub/.', 'x', 'a.txt', 'to-outside', 'to-root', 'to-secret'].flatMap((start) =>
    ['../../', '../../../', './../../', '..//../', '../.././', '../../../../'].flatMap((climb) =>
      ['secret.txt', `${name}/secret.txt`].map((end) => `${start}/${climb}${end}`),
    ),
  );
  return [...new Set([...traversal, ...absolute, ...encoded, ...links, ...credentials, ...odd, ...mixed])];
}

/** A folder with every kind of thing that leads out of it. */
function hostileFolder(): { readonly root: string; readonly outside: string } {
  const outside = folderWith({ 'secret.txt': SECRET, 'x/secret.txt': SECRET, 'folder/file.txt': SECRET });
  const root = folderWith({ ...INSIDE, 'node_modules/p/i.js': 'i' });
  const link = (name: string, target: string) => symlinkSync(target, join(root, name));
  for (const [name, target] of Object.entries({
    'to-secret': join(outside, 'secret.txt'),
    'to-outside': outside,
    chain: 'chain2',
    chain2: 'to-secret',
    loop: 'loop',
    'loop-a': 'loop-b',
    'loop-b': 'loop-a',
    dangling: 'nothing',
    'dangling-outside': join(outside, 'made.txt'),
    'to-parent': '..',
    'to-root': '/',
    'to-proc': '/proc/self',
    'to-dev': '/dev',
    'to-zero': '/dev/zero',
    'to-null': '/dev/null',
    'to-tty': '/dev/tty',
    'sub/to-secret': join(outside, 'secret.txt'),
    'sub/deep-link': `../../${basename(outside)}`,
    'to-env': '.env',
    'to-keys': 'keys',
    'to-self-fd': '/proc/self/fd',
    'node_modules/to-secret': join(outside, 'secret.txt'),
  }))
    link(name, target);
  linkSync(join(outside, 'secret.txt'), join(root, 'hard'));
  linkSync(join(outside, 'x/secret.txt'), join(root, 'sub/hard'));
  execFileSync('mkfifo', [join(root, 'pipe')]);
  return { root, outside };
}

function treeOf(folder: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .map((entry) => {
      const path = join(entry.parentPath, entry.name);
      return `${path} ${entry.isFile() ? readFileSync(path, 'utf8') : ''} ${statSync(path).mode}`;
    })
    .toSorted();
}

type Operation = readonly [name: string, run: (workspace: Workspace, path: string) => Promise<unknown>];

const OPERATIONS: readonly Operation[] = [
  ['read', async (workspace, path) => new TextDecoder().decode((await workspace.read(path, { length: 4096 })).bytes)],
  ['list', async (workspace, path) => (await workspace.list(path)).map(({ name }) => name).join()],
  ['write', (workspace, path) => workspace.write(path, 'written')],
  ['makeDirectory', (workspace, path) => workspace.makeDirectory(path)],
  ['move away', (workspace, path) => workspace.move(path, 'moved-here')],
  ['move there', (workspace, path) => workspace.move('a.txt', path)],
  ['remove', (workspace, path) => workspace.remove(path, { recursive: true })],
];

describe.each<{ readonly name: string; create(root: string): Promise<Workspace> }>([
  { name: 'on disk', create: (root) => createWorkspace({ root, write: ['**'], state: { folder: folderWith() } }) },
  {
    name: 'through an editor',
    create: (root) =>
      createWorkspace({ root, write: ['**'], state: { folder: folderWith() }, editor: fakeEditor().files }),
  },
  { name: 'in memory', create: async () => memoryWorkspace(INSIDE) },
  {
    name: 'over one on disk',
    create: async (root) =>
      overlayWorkspace(await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } })),
  },
])('a workspace $name', ({ create }) => {
  test('reads and writes nothing outside, and no credentials, by any of 300 paths', async () => {
    verifies('toolbox.workspace.confined');
    const { root, outside } = hostileFolder();
    const server = createServer().listen(join(root, 'socket'));
    const before = treeOf(outside);
    const secrets = Object.keys(INSIDE).filter(
      (path) => path.includes('.env') || path.includes('id_rsa') || path.includes('.git'),
    );
    const paths = hostilePaths(root, outside);
    expect(paths.length).toBeGreaterThanOrEqual(300);
    const leaks: string[] = [];
    const workspace = await create(root);
    for (const path of paths) {
      for (const [name, run] of OPERATIONS) {
        const outcome = await run(workspace, path).catch((error: unknown) =>
          error instanceof Error ? error.message : 'odd',
        );
        const text = typeof outcome === 'string' ? outcome : '';
        if (text.includes(SECRET) || text.includes('root:'))
          leaks.push(`${name} ${JSON.stringify(path)}: ${text.slice(0, 80)}`);
        // oxlint-disable-next-line no-control-regex
        if (/[\u0000-\u0009\u000b-\u001f\u202e\u200b]/.test(text) && name !== 'list')
          leaks.push(`${name} ${JSON.stringify(path)} is shown unescaped`);
        // A read that gave nothing away has changed nothing, as the folder outside shows at the end.
        if (name === 'read' || name === 'list') continue;
        await workspace
          .undo({ since: '' })
          .catch((error: unknown) => leaks.push(`${name} ${JSON.stringify(path)}: ${String(error)}`));
      }
    }
    server.close();
    expect(leaks).toEqual([]);
    expect(treeOf(outside)).toEqual(before);
    for (const path of secrets) expect(readFileSync(join(root, path), 'utf8')).toBe(SECRET);
    expect(readFileSync(join(root, 'a.txt'), 'utf8')).toBe('a');
  });
});

test('an absolute path inside is taken as one relative to the root, also by a link to the root', async () => {
  const root = folderWith(INSIDE);
  const alias = join(folderWith(), 'alias');
  symlinkSync(root, alias);
  const workspace = await createWorkspace({ root: alias });
  for (const path of [`${root}/sub/b.txt`, `${alias}/sub/b.txt`, `${root}//sub/./b.txt`, `${root}/sub/../sub/b.txt`])
    expect((await workspace.read(path)).path).toBe('sub/b.txt');
  expect(workspace.normalize(root)).toBe('.');
  await expect(workspace.read(`${root}/../x`)).rejects.toThrow('outside of the workspace');
});

test('a hard link is not read, unless it is below node_modules or the options say so, and never written', async () => {
  const outside = folderWith({ secret: SECRET });
  const root = folderWith({ 'a.txt': 'a' });
  mkdirSync(join(root, 'node_modules'));
  linkSync(join(outside, 'secret'), join(root, 'notes.txt'));
  linkSync(join(outside, 'secret'), join(root, 'node_modules/notes.txt'));
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  await expect(workspace.read('notes.txt')).rejects.toThrow('"notes.txt" has 3 names (hard links)');
  expect((await workspace.read('node_modules/notes.txt')).size).toBe(SECRET.length);
  const open = await createWorkspace({ root, write: ['**'], hardLinks: 'read', state: { folder: folderWith() } });
  expect((await open.read('notes.txt')).size).toBe(SECRET.length);
  for (const each of [workspace, open])
    for (const path of ['notes.txt', 'node_modules/notes.txt'])
      await expect(each.write(path, 'x')).rejects.toThrow('hard links');
  expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe(SECRET);
});

test('a workspace that is a folder of keys, or of the system, gives nothing', async () => {
  const home = folderWith({ '.ssh/note.txt': SECRET });
  const workspace = await createWorkspace({ root: join(home, '.ssh') });
  await expect(workspace.read('note.txt')).rejects.toThrow('may hold credentials');
  const root = await createWorkspace({ root: '/' });
  for (const path of ['/proc/self/environ', '/dev/zero', '/sys/kernel', '/dev/fd/0'])
    await expect(root.read(path)).rejects.toThrow(
      /belongs to the system|There is no|may hold|leads outside|not a file/,
    );
  await expect(createWorkspace({ root: join(home, 'none') })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  writeFileSync(join(home, 'file'), '');
  await expect(createWorkspace({ root: join(home, 'file') })).rejects.toThrow('is not a folder');
});
