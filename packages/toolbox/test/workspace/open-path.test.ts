import { constants, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openByName, openPath } from '../../src/workspace/disk/open-path.ts';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';

test.each([
  ['by its descriptor', openPath],
  ['by its name', openByName],
])('a folder that is opened %s is never another one that took its name', (_, open) => {
  const outside = folderWith({ 'a.txt': 'outside' });
  const root = folderWith({ 'sub/a.txt': 'inside' });
  const folder = open(join(root, 'sub'), false);
  expect(folder.real).toBe(join(root, 'sub'));
  expect(readFileSync(folder.entry('a.txt'), 'utf8')).toBe('inside');
  renameSync(join(root, 'sub'), join(root, 'moved'));
  symlinkSync(outside, join(root, 'sub'));
  const read = (): string => {
    try {
      return readFileSync(folder.entry('a.txt'), 'utf8');
    } catch {
      return 'refused';
    }
  };
  expect(read()).not.toBe('outside');
  expect(folder.now()).not.toBe(join(root, 'sub'));
  folder.close();
  const file = open(join(root, 'moved/a.txt'), false);
  renameSync(join(root, 'moved/a.txt'), join(root, 'moved/b.txt'));
  writeFileSync(join(root, 'moved/a.txt'), 'another');
  expect(() => {
    const fd = file.reopen(constants.O_RDONLY);
    if (readFileSync(fd, 'utf8') !== 'inside') return;
    throw new Error('refused or the same');
  }).toThrow(/refused or the same|changed meanwhile/);
  file.close();
});

test('a write that fails because somebody made the file meanwhile removes nothing', async () => {
  const root = folderWith();
  mkdirSync(join(root, 'd'));
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  const writing = workspace.write('d/big.txt', 'x'.repeat(20_000_000));
  await new Promise((resolve) => setImmediate(resolve));
  writeFileSync(join(root, 'd/big.txt'), 'theirs');
  const outcome = await writing.then(
    () => 'written',
    (error: unknown) => String(error),
  );
  expect(outcome).toContain('changed while it was being written');
  expect(readFileSync(join(root, 'd/big.txt'), 'utf8')).toBe('theirs');
});
