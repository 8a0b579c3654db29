import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createWorkspace } from '../../src/workspace/index.ts';
import { folderWith } from './folders.ts';

test('what is kept is bounded: the oldest changes go first, and one that is too large is refused', async () => {
  verifies('toolbox.workspace.undo');
  const root = folderWith({ 'a.txt': 'x'.repeat(600), 'big.txt': 'x'.repeat(2000) });
  const state = folderWith();
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: state, maxBytes: 1500 } });
  for (let round = 0; round < 5; round += 1) await workspace.write('a.txt', `${round}`.repeat(600));
  expect(workspace.undoable().map(({ id }) => id)).toEqual(['0004', '0005']);
  expect(readdirSync(state).toSorted()).toEqual(['0004.0', '0004.jsonl', '0005.0', '0005.jsonl']);
  await expect(workspace.remove('big.txt')).rejects.toThrow('more than the 1500 bytes that are kept');
  expect(statSync(join(root, 'big.txt')).size).toBe(2000);
  await workspace.undo({ since: '' });
  expect((await workspace.read('a.txt')).bytes[0]).toBe('2'.charCodeAt(0));
  expect(readdirSync(state)).toEqual([]);
});

test('the folder of what is kept is closed to tools, for the user alone, and gone after the run', async () => {
  const root = folderWith({ 'a.txt': 'old' });
  const state = join(root, 'state');
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: state } });
  await workspace.write('a.txt', 'new');
  expect(statSync(state).mode & 0o777).toBe(0o700);
  expect(statSync(join(state, '0001.0')).mode & 0o777).toBe(0o600);
  await expect(workspace.read('state/0001.0')).rejects.toThrow('not open to tools');
  await expect(workspace.write('state/0001.0', 'x')).rejects.toThrow('not open to tools');
  await workspace.close();
  expect(existsSync(join(state, '0001.0'))).toBe(false);
});

test('an edit by somebody else is not overwritten by undo', async () => {
  verifies('toolbox.workspace.undo');
  const root = folderWith({ 'a.txt': 'old' });
  const workspace = await createWorkspace({ root, write: ['**'], state: { folder: folderWith() } });
  await workspace.write('a.txt', 'new');
  writeFileSync(join(root, 'a.txt'), 'by hand, later');
  await expect(workspace.undo()).rejects.toThrow('"a.txt" was changed since');
});

test.each([
  ['NUL bytes in place of a line', (log: string) => log.replace(/\n\{"type":"step".*\n/, `\n${'\0'.repeat(300)}\n`)],
  ['NUL bytes at its end', (log: string) => `${log}${'\0'.repeat(300)}`],
  ['half a line before others', (log: string) => log.replace('"type":"step"', '')],
  ['no time', (log: string) => log.replace(/^.*\n/, '{}\n')],
])(
  'a change whose log has %s cannot be taken back, says so once, and does not stand in the way of others',
  async (_, damage) => {
    verifies('toolbox.workspace.undo.damaged');
    const root = folderWith({ 'a.txt': 'a', 'b.txt': 'b' });
    const state = folderWith();
    const before = await createWorkspace({ root, write: ['**'], state: { folder: state } });
    await before.write('a.txt', 'changed');
    await before.write('b.txt', 'changed');
    const log = join(state, '0002.jsonl');
    const text = damage(readFileSync(log, 'utf8'));
    writeFileSync(log, text);
    const workspace = await createWorkspace({ root, write: ['**'], state: { folder: state } });
    await workspace.write('c.txt', 'new');
    await workspace.undo();
    await expect(workspace.undo()).rejects.toThrow('The record of change "0002"');
    expect(readFileSync(join(state, 'damaged-0002.jsonl'), 'utf8')).toBe(text);
    expect(existsSync(join(state, 'damaged-0002.0'))).toBe(true);
    await workspace.undo();
    expect([readFileSync(join(root, 'a.txt'), 'utf8'), readFileSync(join(root, 'b.txt'), 'utf8')]).toEqual([
      'a',
      'changed',
    ]);
    expect(workspace.undoable()).toEqual([]);
  },
);
