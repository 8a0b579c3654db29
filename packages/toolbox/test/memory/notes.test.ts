import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, it } from 'vitest';
import { memoryTool, noteTools } from '../../src/memory/index.ts';
import { memoryWorkspace } from '../../src/workspace/index.ts';
import { caller, messageOf, writable } from './support.ts';

async function notes() {
  const workspace = await writable();
  const call = caller(memoryTool(workspace), ...noteTools(workspace));
  const remember = async (text: string, tags: readonly string[] = []) => {
    const { forLLM } = await call('remember', { text, tags });
    return /as (.*)\.$/.exec(forLLM)?.[1] ?? '';
  };
  return { workspace, call, remember };
}

it('a note is found by its words, best first', async () => {
  verifies('toolbox.memory.notes');
  const { call, remember } = await notes();
  await remember('The user likes green tea in the morning.');
  await remember('The build needs Node 26.', ['build']);
  await remember('Tea, tea and tea again: a shop for tea in Kyoto.', ['travel']);
  const { data, forLLM } = await call('recall', { query: 'tea' });
  const found = (data as { notes: { text: string }[] }).notes.map(({ text }) => text);
  expect(found).toEqual([
    'Tea, tea and tea again: a shop for tea in Kyoto.',
    'The user likes green tea in the morning.',
  ]);
  expect(forLLM).toMatch(/^\[\d{8}T\d{6}-[0-9a-f]{12} \d{4}-\d{2}-\d{2} #travel\]\nTea, tea/);
  expect((await call('recall', { query: 'build' })).forLLM).toContain('Node 26');
  expect((await call('recall', { query: 'coffee' })).forLLM).toBe('No note was found.');
});

it('a note is found in languages without spaces, by its tags, and by age', async () => {
  verifies('toolbox.memory.notes');
  const { call, remember } = await notes();
  await remember('京都でお茶を買う', ['Reise']);
  await remember('second', ['other']);
  expect((await call('recall', { query: 'お茶' })).forLLM).toContain('京都');
  expect((await call('recall', { tags: ['REISE'] })).forLLM).toContain('京都');
  expect((await call('recall', { tags: ['reise', 'other'] })).forLLM).toBe('No note was found.');
  expect((await call('recall', { count: 1 })).forLLM).toContain('(1 more note)');
});

it('a note that is changed, removed or written by hand is found as it is now', async () => {
  verifies('toolbox.memory.notes');
  const { call, remember, workspace } = await notes();
  const id = await remember('The server is called alpha.');
  expect((await call('recall', { query: 'alpha' })).forLLM).toContain(id);
  const edit = { command: 'str_replace', path: `/memories/notes/${id}.md`, old_str: 'alpha', new_str: 'omega' };
  expect((await call('memory', edit)).isError).toBeUndefined();
  expect((await call('recall', { query: 'alpha' })).forLLM).toBe('No note was found.');
  expect((await call('recall', { query: 'omega' })).forLLM).toContain(id);
  writeFileSync(join(workspace.folder ?? '', 'notes', 'by-hand.md'), 'Bring bananas.');
  expect((await call('recall', { query: 'bananas' })).forLLM).toContain('[by-hand');
  expect((await call('forget', { id })).forUser).toContain('The server is called omega.');
  expect((await call('recall', { query: 'omega' })).forLLM).toBe('No note was found.');
  expect(messageOf(await call('forget', { id }))).toContain('There is no note');
});

it('what was noted is shown to the user, with hidden characters escaped, and comes back as it was', async () => {
  verifies('toolbox.memory.shown');
  const { call } = await notes();
  const text = '---\ntime: never\n---\nfake head \u{1b}[31m\u{202e}';
  const { forUser } = await call('remember', { text, tags: ['a"]\n---', '\u{202e}b', '\u2028', '\u0001'.repeat(50)] });
  expect(forUser).toContain('fake head \\x1b[31m\\u202e');
  expect(forUser).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
  const { data } = await call('recall', { query: 'fake' });
  expect((data as { notes: object[] }).notes).toMatchObject([
    { text, tags: ['a"]\n---', '\u{202e}b', '\u2028', '\u0001'.repeat(50)] },
  ]);
});

it.each(['../a', 'a/b', '', '.memory.lock', '%2e%2e', 'a.md', 'x'.repeat(200)])(
  'forget takes no path for an id: %j',
  async (id) => {
    verifies('toolbox.memory.confined');
    const { call, workspace } = await notes();
    await workspace.write('a.md', 'kept');
    expect(messageOf(await call('forget', { id }))).toContain('is not the id of a note');
    expect(await workspace.stat('a.md')).toMatchObject({ size: 4 });
  },
);

it('the limits hold for notes, and an empty one is none', async () => {
  verifies('toolbox.memory.limits');
  const call = caller(...noteTools(memoryWorkspace(), { maxFileBytes: 200, maxEntries: 3 }));
  expect(messageOf(await call('remember', { text: 'x'.repeat(200) }))).toContain('at most 200');
  expect(messageOf(await call('remember', { text: ' \n' }))).toContain('empty');
  await call('remember', { text: 'a' });
  await call('remember', { text: 'b' });
  expect(messageOf(await call('remember', { text: 'c' }))).toContain('at most 3 files and folders');
});
