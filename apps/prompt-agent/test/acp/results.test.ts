import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { codeBlock, fenced } from '../../src/acp/view/text-content.ts';
import { createToolCalls } from '../../src/acp/view/tool-calls.ts';
import { callsIn, withEditor } from './editor.ts';

const TEXT = '# Not a heading\n\tindented *and* `quoted`\n```js\ninner\n```\n';
const READ = { name: 'read_file', arguments: { path: 'a.md' } };
const fencedText = (text: string) => [{ type: 'content', content: { type: 'text', text } }];

test('a result is a block of code, which nothing in it can close, also when the session is opened again', async () => {
  verifies('cli.acp.calls.results');
  const options = { replies: [{ calls: [READ] }, { text: 'Read.' }], files: { 'a.md': TEXT } };
  await withEditor(options, async ({ agent, begin, prompt, updates, cwd }) => {
    const sessionId = await begin();
    await prompt(sessionId, 'Read it.');
    const content = fencedText(`\`\`\`\`\n${TEXT}\`\`\`\``);
    expect(callsIn(updates)[0]).toMatchObject({ status: 'completed', content });
    const before = updates.length;
    await agent.request('session/load', { sessionId, cwd, mcpServers: [] });
    expect(callsIn(updates.slice(before))[0]).toMatchObject({ status: 'completed', content });
  });
});

test('why a call failed is a block of code, and a result of nothing is none', async () => {
  verifies('cli.acp.calls.results');
  const replies = [{ calls: [{ name: 'read_file', arguments: { path: '*none*.txt' } }] }, { text: 'Sorry.' }];
  await withEditor({ replies }, async ({ begin, prompt, updates }) => {
    await prompt(await begin(), 'Read it.');
    expect(callsIn(updates)[0]).toMatchObject({
      status: 'failed',
      content: [{ content: { text: expect.stringMatching(/^```\n[^]*\*none\*\.txt[^]*\n```$/) as unknown } }],
    });
  });
  const { calls, sent } = shown();
  const call = { type: 'tool-call', id: 'c', name: 'look', arguments: '{}' } as const;
  calls.end('c', call, { forLLM: '' });
  expect(sent.at(-1)).toMatchObject({ status: 'completed', content: [] });
});

test('what a call says of its progress is a block of code, and the answer of another agent is Markdown', () => {
  verifies('cli.acp.calls.results');
  const { calls, sent } = shown();
  const call = { type: 'tool-call', id: 'c', name: 'helper', arguments: '{}' } as const;
  calls.start('c', call);
  calls.addProgress('c', '# Subtest: price\n');
  expect(sent.at(-1)).toMatchObject({ content: fencedText('```\n# Subtest: price\n```') });
  calls.markAround('c');
  calls.end('c', call, { forLLM: 'It is **done**.' });
  expect(sent.at(-1)).toMatchObject({ content: fencedText('It is **done**.') });
});

test('edits of one file in one reply are each shown with what the ones before left of it', async () => {
  verifies('cli.acp.calls');
  const edit = (old_text: string, new_text: string) => ({
    name: 'edit_file',
    arguments: { path: 'a.txt', edits: [{ old_text, new_text }] },
  });
  const replies = [{ calls: [edit('one', '1'), edit('two', '2'), edit('three', '3')] }, { text: 'Done.' }];
  const files = { 'a.txt': 'one\ntwo\nthree\n' };
  await withEditor({ replies, files }, async ({ begin, prompt, updates }) => {
    await prompt(await begin(), 'Change it.');
    expect(callsIn(updates)).toMatchObject([
      { content: [{ type: 'diff', oldText: 'one\ntwo\nthree\n', newText: '1\ntwo\nthree\n' }] },
      { content: [{ type: 'diff', oldText: '1\ntwo\nthree\n', newText: '1\n2\nthree\n' }] },
      { content: [{ type: 'diff', oldText: '1\n2\nthree\n', newText: '1\n2\n3\n' }] },
    ]);
  });
});

test('a block of code takes any number of ticks', () => {
  verifies('cli.acp.calls.results');
  const text = '` '.repeat(500_000);
  expect(fenced(text)).toBe(`\`\`\`\n${text}\n\`\`\``);
  expect(codeBlock([text, '`````'])).toMatch(/^`{6}\n/);
});

function shown() {
  const sent: SessionUpdate[] = [];
  const calls = createToolCalls({ send: (update) => void sent.push(update), folder: '/', toolOf: () => undefined });
  return { calls, sent };
}
