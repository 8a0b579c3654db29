import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { folderWith } from './folders.ts';

const PROGRAM = fileURLToPath(new URL('../fixtures/full-disk.ts', import.meta.url));
const NOBODY = 65_534;

function outcomeOf(root: string, state: string, { uid = '', limit = '' } = {}) {
  const run = `${limit} exec "$0" --conditions=@kernel/source "$@"`;
  const text = execFileSync('sh', ['-c', run, process.execPath, PROGRAM, root, state, uid], { encoding: 'utf8' });
  return JSON.parse(text) as { messages: readonly string[]; names: readonly string[]; text: string };
}

test('a disk without room leaves the old file and no other', () => {
  verifies('toolbox.workspace.full');
  const root = folderWith({ 'a.txt': 'old' });
  // A limit on the size of files refuses the write in the same place as a full disk does.
  const { messages, names, text } = outcomeOf(root, folderWith(), { limit: "trap '' XFSZ; ulimit -f 64;" });
  expect(messages[0]).toMatch(/^"a\.txt": the (?:file would be too large|disk is full)\.$/);
  expect(messages[1]).toMatch(/^"new\/b\.txt": the (?:file would be too large|disk is full)\.$/);
  expect(messages[2]).toBe('done');
  expect({ names, text }).toEqual({ names: ['c.txt'], text: 'old' });
});

test('a folder that may not be changed is told by name, and nothing changes', () => {
  verifies('toolbox.workspace.full');
  const root = folderWith({ 'a.txt': 'old' });
  const state = join(folderWith(), 'state');
  mkdirSync(state);
  const isRoot = process.getuid?.() === 0;
  if (isRoot) chownSync(state, NOBODY, NOBODY);
  chmodSync(join(state, '..'), 0o755);
  chmodSync(root, 0o555);
  const { messages, names, text } = outcomeOf(root, state, isRoot ? { uid: String(NOBODY) } : {});
  chmodSync(root, 0o755);
  expect(messages).toEqual(['"a.txt": permission denied.', '"new": permission denied.', '"c.txt": permission denied.']);
  expect({ names, text }).toEqual({ names: ['a.txt'], text: 'old' });
});
