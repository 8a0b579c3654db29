import { linkSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { visibleFiles } from '../../src/files/index.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from '../workspace/folders.ts';

async function open() {
  const root = folderWith({
    'a.txt': 'a',
    'src/b.txt': 'b',
    'ignored/c.txt': 'c',
    'src/.gitignore': 'made-*\n',
    'src/made-d.txt': 'd',
    '.gitignore': 'ignored\n',
    '.env': 'KEY=1',
    '.git/config': 'x',
    'node_modules/e/index.js': 'e',
    'denied/f.txt': 'f',
  });
  const outside = folderWith({ 'key.txt': 'outside' });
  symlinkSync(join(outside, 'key.txt'), join(root, 'out.txt'));
  symlinkSync(join(root, 'ignored/c.txt'), join(root, 'in.txt'));
  symlinkSync(join(root, 'ignored'), join(root, 'folder'));
  linkSync(join(outside, 'key.txt'), join(root, 'hard.txt'));
  return visibleFiles(await createWorkspace({ root, deny: ['denied'] }));
}

const signal = new AbortController().signal;

test('what others may see is what a search finds', async () => {
  verifies('toolbox.files.visible');
  const files = await open();
  const listed: string[] = [];
  for await (const path of files.list(signal)) listed.push(path);
  expect(listed.filter((path) => !path.endsWith('.gitignore') && path !== 'hard.txt')).toEqual(['a.txt', 'src/b.txt']);
  expect(new TextDecoder().decode(await files.read('src/b.txt', { signal }))).toBe('b');
  await expect(files.read('a.txt', { maxBytes: 0, signal })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
});

test.each([
  'ignored/c.txt',
  'src/made-d.txt',
  '.env',
  '.git/config',
  'node_modules/e/index.js',
  'denied/f.txt',
  'out.txt',
  'in.txt',
  'folder/c.txt',
  'hard.txt',
  '../key.txt',
  'src/../a.txt',
  './a.txt',
  'none.txt',
  'src',
  '',
])('%j is not read', async (path) => {
  verifies('toolbox.files.visible');
  const files = await open();
  await expect(files.read(path, { signal })).rejects.toMatchObject({ code: 'TOOL_FAILED' });
});
