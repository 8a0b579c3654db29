import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { allowAll, copies, fileOf, give, inOwnProcess, inputOf, project, scripted } from './support.ts';

test('what an agent changed is one call with the whole diff, and one change that can be undone', async () => {
  verifies('acp.changes');
  const workspace = await project({ 'a.txt': 'one\ntwo\nthree\n', 'old.txt': 'gone\n', 'b/c.txt': 'same\n' });
  const { approve, asked } = allowAll();
  const steps = [
    { say: 'Looking. ' },
    { disk: { 'a.txt': 'one\n2\nthree\n', 'new/d.txt': 'fresh\n', 'old.txt': null } },
    { say: 'Done.' },
  ];
  const { text, end } = await give(scripted({ workspace }), steps, { approve });
  expect(end.reason).toBe('done');
  expect(asked.map(({ name }) => name)).toEqual(['apply_patch']);
  expect(inputOf(asked[0])['patch']).toBe(
    [
      '*** Begin Patch',
      '*** Update File: a.txt',
      '@@',
      ' one',
      '-two',
      '+2',
      ' three',
      '*** End of File',
      '*** Add File: new/d.txt',
      '+fresh',
      '*** Delete File: old.txt',
      '*** End Patch',
    ].join('\n'),
  );
  expect(text).toMatch(/^Looking\. Done\.\n\nDone \(change [^)]+\):\nM "a\.txt"\nA "new\/d\.txt"\nD "old\.txt"$/);
  expect(fileOf(workspace, 'a.txt')).toBe('one\n2\nthree\n');
  expect(fileOf(workspace, 'new/d.txt')).toBe('fresh\n');
  expect(workspace.undoable()).toHaveLength(1);
  await workspace.undo();
  expect(fileOf(workspace, 'a.txt')).toBe('one\ntwo\nthree\n');
  expect(fileOf(workspace, 'old.txt')).toBe('gone\n');
  expect(copies()).toEqual([]);
});

test('a workspace that is too large for a copy is refused, with what to do about it', async () => {
  verifies('acp.copy');
  const workspace = await project({ 'a.txt': '12345', 'b.txt': '12345' });
  const { text } = await give(scripted({ workspace, limits: { files: 1 } }), [], allowAll());
  expect(text).toContain('LIMIT_REACHED: The workspace has more than 1 files');
  expect(text).toContain('limits.files');
  const large = await give(scripted({ workspace, limits: { bytes: 9 } }), [], allowAll());
  expect(large.text).toContain('more than 9 bytes');
  expect(copies()).toEqual([]);
});

test.each([
  ['dies', { exit: 3 }, 'The agent ended with exit code 3.'],
  ['fails', { fail: 'no more credit' }, 'The agent "helper" reports: no more credit.'],
])(
  'what an agent has changed before it %s is asked about, and the error is the result',
  async (_how, step, message) => {
    verifies('acp.changes');
    const workspace = await project({ 'a.txt': 'one\n' });
    const { approve, asked } = allowAll();
    const { result } = await give(inOwnProcess({ workspace }), [{ disk: { 'a.txt': 'two\n' } }, step], { approve });
    expect(asked.map(({ name }) => name)).toEqual(['apply_patch']);
    expect(fileOf(workspace, 'a.txt')).toBe('two\n');
    expect(result?.isError).toBe(true);
    expect(result?.forLLM).toContain(message);
    expect(result?.forLLM).toMatch(/Done \(change [^)]+\):\nM "a\.txt"/);
  },
);
