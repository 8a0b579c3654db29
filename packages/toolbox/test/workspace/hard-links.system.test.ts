import { linkSync, lstatSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry } from '@kernel/tools';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { fileTools } from '../../src/files/index.ts';
import { createProtectedFiles } from '../../src/workspace/disk/protected-files.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';

const PRIVATE_KEY = `-----BEGIN OPENSSH PRIVATE KEY-----\n${'A'.repeat(200)}\n-----END OPENSSH PRIVATE KEY-----\n`;

test.each([
  ['a key in the home folder', '.ssh/id_ed25519', 'not the form of a key'],
  ['a token in the home folder', '.netrc', 'password hunter2'],
  ['a credential deep in a folder of them', '.config/gcloud/legacy/a/adc', 'x'],
])('a hard link to %s is read under no innocent name, whatever the options say', async (_name, path, content) => {
  verifies('toolbox.workspace.hardLinks');
  const home = folderWith({ [path]: content });
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const root = folderWith({ 'node_modules/a/b.txt': 'b' });
  linkSync(join(root, 'node_modules/a/b.txt'), join(root, 'node_modules/a/c.txt'));
  for (const name of ['notes.txt', 'node_modules/a/readme.md']) linkSync(join(home, path), join(root, name));
  for (const hardLinks of ['refuse', 'read'] as const) {
    const workspace = await createWorkspace({ root, hardLinks });
    await expect(workspace.read('notes.txt')).rejects.toThrow(hardLinks === 'read' ? 'credentials' : 'hard links');
    await expect(workspace.read('node_modules/a/readme.md')).rejects.toThrow('may hold credentials');
    expect((await workspace.read('node_modules/a/c.txt')).size).toBe(1);
  }
  const open = await createWorkspace({ root, hardLinks: 'read', denyCredentials: false });
  expect((await open.read('notes.txt')).size).toBe(content.length);
});

test('nor is one where other folders have hundreds of files, or where a folder has more than are looked at', async () => {
  verifies('toolbox.workspace.hardLinks');
  const keys = '.config/gh/hosts.yml';
  const home = folderWith({ [keys]: 'KEY', '.kube/cache/d/0': '' });
  const deep = 'a/b/c/d/e/f/g/h/.env';
  const root = folderWith({ [deep]: 'B=2', 'many/0': '', 'node_modules/a.js': 'a' });
  for (let index = 1; index < 300; index += 1)
    for (const folder of [join(home, '.kube/cache/d'), join(root, 'many')]) writeFileSync(join(folder, `${index}`), '');
  vi.stubEnv('HOME', home);
  onTestFinished(() => void vi.unstubAllEnvs());
  const link = (from: string, name: string) => linkSync(from, join(root, 'node_modules', name));
  link(join(home, keys), 'key.js');
  link(join(root, deep), 'env.js');
  link(join(root, 'node_modules/a.js'), 'b.js');
  const workspace = await createWorkspace({ root });
  for (const name of ['key.js', 'env.js'])
    await expect(workspace.read(`node_modules/${name}`)).rejects.toThrow('may hold credentials');
  expect((await workspace.read('node_modules/b.js')).size).toBe(1);

  const stats = lstatSync(join(root, 'node_modules/b.js'), { bigint: true });
  const isProtected = (maxEntries: number) => createProtectedFiles(root, () => false, { home, maxEntries })(stats);
  expect([isProtected(700), isProtected(250)]).toEqual([false, true]);
});

test('nor is one to a file of the workspace that its rules close, nor what begins as a private key, at any range', async () => {
  verifies('toolbox.workspace.hardLinks');
  const root = folderWith({ '.env': 'A=1', 'closed/x': 'x', 'node_modules/b': 'b', 'key.txt': PRIVATE_KEY });
  for (const [from, to] of [
    ['.env', 'node_modules/env.md'],
    ['closed/x', 'node_modules/x.md'],
    ['key.txt', 'node_modules/key.md'],
  ] as const)
    linkSync(join(root, from), join(root, to));
  const workspace = await createWorkspace({ root, deny: ['closed'] });
  for (const name of ['env.md', 'x.md', 'key.md'])
    await expect(workspace.read(`node_modules/${name}`, { start: 1 })).rejects.toThrow('may hold credentials');
  const found = createRegistry(fileTools(workspace, { ripgrep: false }));
  const { forLLM } = await found.execute('search_text', { query: 'A', path: 'node_modules' });
  expect(forLLM).not.toContain('AAAA');
});
