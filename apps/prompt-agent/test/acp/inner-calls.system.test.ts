import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SessionUpdate } from '@agentclientprotocol/sdk/unstable';
import type { AgentEvent, ToolCall } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createTurnView } from '../../src/acp/view/show-turn.ts';
import { createToolCalls } from '../../src/acp/view/tool-calls.ts';
import { PNG } from '../program.ts';
import { callsIn, choose, withEditor } from './editor.ts';

const SCRIPTED_AGENT = fileURLToPath(
  new URL('../../../../packages/acp/test/fixtures/scripted-agent.ts', import.meta.url),
);

afterEach(() => void vi.useRealTimers());

/** Has a program run, and returns its call and those within it. */
function runProgram(code: string, options: Partial<Parameters<typeof withEditor>[0]> = {}) {
  const replies = [{ calls: [{ name: 'run_code', arguments: { code } }] }, { text: 'Done.' }];
  return withEditor({ replies, args: ['--code-mode'], ...options }, async ({ begin, prompt, updates, cwd }) => {
    await prompt(await begin(), 'Run it.');
    const [program, ...inner] = callsIn(updates);
    return { program, inner, cwd };
  });
}

test('the calls of a program are shown as those of the model are: with their texts, their output and their diffs', async () => {
  verifies('cli.acp.calls.inner');
  const { inner, cwd } = await runProgram(
    `await tools.read_file({ path: 'a.txt' });
     await tools.edit_file({ path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] });
     await tools.edit_file({ path: 'a.txt', edits: [{ old_text: 'two', new_text: 'three' }] });
     await tools.run_command({ command: ['cat', 'a.txt'] });`,
    { files: { 'a.txt': 'one\n' } },
  );
  const path = join(cwd, 'a.txt');
  expect(inner).toMatchObject([
    {
      title: 'Read a.txt',
      status: 'completed',
      content: [{ content: { text: expect.stringMatching(/^```\none\n```$/) } }],
    },
    { title: 'Edit a.txt', status: 'completed', content: [{ type: 'diff', path, oldText: 'one\n', newText: 'two\n' }] },
    {
      title: 'Edit a.txt',
      status: 'completed',
      content: [{ type: 'diff', path, oldText: 'two\n', newText: 'three\n' }],
    },
    {
      title: 'Run `cat a.txt`',
      status: 'completed',
      content: [{ content: { text: expect.stringMatching(/^```\nExit code 0 after [\d.]+ s\.\nthree\n```$/) } }],
    },
  ]);
});

test('an edit of a program that the rules allow, or that fails, is shown with what it did', async () => {
  verifies('cli.acp.calls.inner');
  const { inner } = await runProgram(
    `const edit = (old_text) => tools.edit_file({ path: 'a.txt', edits: [{ old_text, new_text: 'two' }] });
     await edit('one');
     await edit('none').catch(() => undefined);`,
    { files: { 'a.txt': 'one\n' }, args: ['--code-mode', '--allow', 'edit_file'] },
  );
  expect(inner).toMatchObject([
    { status: 'completed', content: [{ type: 'diff', oldText: 'one\n', newText: 'two\n' }] },
    { status: 'failed', content: [{ content: { text: expect.stringContaining('not in the file') } }] },
  ]);
});

test('edits of one file that a program makes at once are each shown by what they replace', async () => {
  verifies('cli.acp.calls.inner');
  const { inner } = await runProgram(
    `const edit = (old_text, new_text) => tools.edit_file({ path: 'a.txt', edits: [{ old_text, new_text }] });
     await Promise.all([edit('one', '1'), edit('two', '2')]);`,
    { files: { 'a.txt': 'one\ntwo\n' }, args: ['--code-mode', '--allow', 'edit_file'] },
  );
  expect(inner.map(({ status, content }) => ({ status, content }))).toMatchObject([
    { status: 'completed', content: [{ type: 'diff', oldText: 'one\ntwo\n', newText: '1\ntwo\n' }] },
    { status: 'completed', content: [{ type: 'diff', oldText: 'two', newText: '2' }] },
  ]);
});

test('an image that a program reads is shown without its bytes', async () => {
  verifies('cli.acp.calls.inner');
  const { inner } = await runProgram(`await tools.read_file({ path: 'a.png' });`, { files: { 'a.png': PNG } });
  expect(JSON.stringify(inner[0]?.['content'])).toContain('is attached');
  expect(JSON.stringify(inner[0]?.['content'])).not.toContain('iVBOR');
});

test('what another agent asks for ends as allowed, without a digest, and its changes keep their diff', async () => {
  verifies('cli.acp.calls.inner');
  const request = {
    request: 'session/request_permission',
    params: {
      toolCall: { toolCallId: 'p', kind: 'execute', rawInput: { command: 'ls src', cwd: '@' } },
      options: [{ optionId: 'once', name: 'Yes', kind: 'allow_once' }],
    },
  };
  const task = JSON.stringify([request, { disk: { 'a.txt': 'two\n' } }]);
  const options = {
    replies: [{ calls: [{ name: 'scripted-agent', arguments: { task } }] }, { text: 'Done.' }],
    files: { 'a.txt': 'one\n' },
    args: ['--agent-command', `'${process.execPath}' --disable-warning=ExperimentalWarning '${SCRIPTED_AGENT}'`],
    answer: (asked: Parameters<typeof choose>[0]) => choose(asked, 'once'),
  };
  await withEditor(options, async ({ begin, prompt, updates }) => {
    await prompt(await begin(), 'Do it.');
    const [, command, patch] = callsIn(updates);
    expect(JSON.stringify(command?.['content'])).toMatch(/The agent may do it\./);
    expect(patch).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', oldText: 'one\n', newText: 'two\n' }],
    });
  });
});

test('what a program and an agent say of their progress are lines, what an agent writes is not cut into them', async () => {
  verifies('cli.acp.calls.inner');
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  const sent: SessionUpdate[] = [];
  const calls = createToolCalls({ send: (update) => void sent.push(update), folder: '/', toolOf: () => undefined });
  const show = createTurnView(() => Promise.resolve(), calls);
  const call: ToolCall = { type: 'tool-call', id: 'c', name: 'helper', arguments: '{}' };
  const inner = (event: AgentEvent): AgentEvent => ({ type: 'sub-agent-event', path: ['helper', 'c'], event });
  const progress = (update: string): AgentEvent => ({ type: 'tool-progress', callId: 'c', update });
  const events = [
    { type: 'tool-start', call },
    inner({ type: 'turn-start', turn: 1, tools: [] }),
    progress('Write a.txt'),
    progress('Write new/d.txt'),
    inner({ type: 'text-delta', text: 'I will' }),
    inner({ type: 'text-delta', text: ' edit.' }),
    progress('echo hi'),
  ] as const;
  // oxlint-disable-next-line no-await-in-loop -- in order
  for (const event of events) await show(event);
  vi.advanceTimersByTime(1000);
  expect(JSON.stringify(sent.at(-1))).toContain(String.raw`Write a.txt\nWrite new/d.txt\nI will edit.\necho hi`);
});
