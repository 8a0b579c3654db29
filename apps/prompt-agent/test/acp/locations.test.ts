import { join } from 'node:path';
import type { JsonObject } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { callsIn, withEditor } from './editor.ts';

const LINES = Array.from({ length: 3000 }, (_, at) => `line ${at + 1}`).join('\n');
const edit = (path: string, old_text: string, new_text: string) => ({
  name: 'edit_file',
  arguments: { path, edits: [{ old_text, new_text }] },
});
const search = (name: string, input: JsonObject) => ({ name, arguments: input });

test('the location of an edit is its first line that changes, in the question about it as well', async () => {
  verifies('cli.acp.calls.locations');
  const calls = [
    edit('a.txt', 'line 2500\n', 'changed\n'),
    edit('a.txt', 'line 3000', 'line 3000\nline 3001'),
    { name: 'write_file', arguments: { path: 'new.txt', content: 'one\ntwo\n' } },
  ];
  const replies = [{ calls }, { text: 'Done.' }];
  await withEditor({ replies, files: { 'a.txt': LINES } }, async ({ begin, prompt, updates, questions, cwd }) => {
    await prompt(await begin(), 'Change them.');
    const locations = [
      [{ path: join(cwd, 'a.txt'), line: 2500 }],
      [{ path: join(cwd, 'a.txt'), line: 3000 }],
      [{ path: join(cwd, 'new.txt'), line: 1 }],
    ];
    expect(callsIn(updates).map((call) => call['locations'])).toEqual(locations);
    expect(questions.map(({ toolCall }) => toolCall.locations)).toEqual(locations);
  });
});

test('a patch has a location for each of its files', async () => {
  verifies('cli.acp.calls.locations');
  const patch =
    '*** Begin Patch\n*** Update File: a.txt\n@@\n two\n-three\n+3\n*** Add File: b/c.txt\n+new\n*** End Patch';
  const replies = [{ calls: [{ name: 'apply_patch', arguments: { patch } }] }, { text: 'Done.' }];
  await withEditor({ replies, files: { 'a.txt': 'one\ntwo\nthree\n' } }, async ({ begin, prompt, updates, cwd }) => {
    await prompt(await begin(), 'Change them.');
    expect(callsIn(updates)[0]?.['locations']).toEqual([
      { path: join(cwd, 'a.txt'), line: 3 },
      { path: join(cwd, 'b/c.txt'), line: 1 },
    ]);
  });
});

test('the locations of a search are the first files that it found, also when the session is opened again', async () => {
  verifies('cli.acp.calls.locations');
  const calls = [
    search('search_text', { query: 'needle' }),
    search('glob', { pattern: 'src/*.txt' }),
    search('glob', { pattern: '*.none' }),
    search('search_text', { query: 'nowhere' }),
    search('glob', { pattern: '*.txt', count: true }),
  ];
  const names = ['1', '2', '3', '4', '5', '6', '7'].map((name) => `src/${name}.txt`);
  const files = Object.fromEntries(names.map((name) => [name, 'hay\nneedle: 12: here\nneedle\n']));
  const replies = [{ calls }, { text: 'Done.' }];
  await withEditor({ replies, files }, async ({ agent, begin, prompt, updates, cwd }) => {
    const sessionId = await begin();
    await prompt(sessionId, 'Find them.');
    const first = names.slice(0, 5).map((name) => join(cwd, name));
    const locations = [first.map((path) => ({ path, line: 2 })), first.map((path) => ({ path })), [], [], []];
    expect(callsIn(updates).map((call) => call['locations'])).toEqual(locations);
    const before = updates.length;
    await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(callsIn(updates.slice(before)).map((call) => call['locations'])).toEqual(locations);
  });
});
