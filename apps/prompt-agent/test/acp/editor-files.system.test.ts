import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ClientApp } from '@agentclientprotocol/sdk/unstable';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { callsIn, withEditor } from './editor.ts';
import { withTerminals } from './terminals.ts';

const FS = { fs: { readTextFile: true, writeTextFile: true } };
const FILES = { 'a.txt': 'saved\n', 'b.txt': 'one\n', '.env': 'KEY=secret\n' };
const edit = (path: string, old_text: string, new_text: string) => ({
  name: 'edit_file',
  arguments: { path, edits: [{ old_text, new_text }] },
});

/** An editor with one unsaved buffer, which writes and saves files. */
function withBuffers(buffers: Map<string, string>, asked: string[]) {
  return (app: ClientApp): ClientApp =>
    app
      .onRequest('fs/read_text_file', ({ params: { path } }) => {
        asked.push(`read ${path}`);
        return { content: buffers.get(path) ?? readFileSync(path, 'utf8') };
      })
      .onRequest('fs/write_text_file', ({ params: { path, content } }) => {
        asked.push(`write ${path}`);
        buffers.delete(path);
        writeFileSync(path, content);
        return {};
      });
}

test('the model reads what is not saved yet, its edit goes through the editor, and undo restores what the buffer had', async () => {
  verifies('cli.acp.files');
  const buffers = new Map<string, string>();
  const asked: string[] = [];
  const replies = [
    { calls: [{ name: 'read_file', arguments: { path: 'a.txt' } }] },
    { calls: [edit('a.txt', 'unsaved', 'changed')] },
    { text: 'Done.' },
  ];
  const options = { replies, files: FILES, capabilities: FS, extend: withBuffers(buffers, asked) };
  await withEditor(options, async ({ begin, prompt, cwd, asked: requests, updates }) => {
    const path = join(cwd, 'a.txt');
    buffers.set(path, 'unsaved\n');
    const session = await begin();
    await prompt(session, 'Change it.');
    expect(requests()[1]).toContain('unsaved');
    expect(readFileSync(path, 'utf8')).toBe('changed\n');
    expect(asked).toContain(`write ${path}`);
    verifies('toolbox.editor.reads');
    // The model's own read is one of them.
    expect(asked.filter((each) => each === `read ${path}`).length).toBeLessThanOrEqual(11);
    expect(callsIn(updates)[1]).toMatchObject({
      status: 'completed',
      content: [{ type: 'diff', path, oldText: 'unsaved\n', newText: 'changed\n' }],
    });
    await prompt(session, '/undo');
    expect(readFileSync(path, 'utf8')).toBe('unsaved\n');
  });
});

test('in a folder that was opened by a link, the editor is asked by the paths that it knows', async () => {
  verifies('cli.acp.files');
  const buffers = new Map<string, string>();
  const asked: string[] = [];
  const replies = [{ calls: [edit('a.txt', 'unsaved', 'changed')] }, { text: 'Done.' }];
  const options = { replies, files: FILES, capabilities: FS, extend: withBuffers(buffers, asked) };
  await withEditor(options, async ({ agent, prompt, cwd, updates }) => {
    const link = join(cwd, 'link');
    mkdirSync(join(cwd, 'real'));
    writeFileSync(join(cwd, 'real/a.txt'), 'saved\n');
    symlinkSync(join(cwd, 'real'), link);
    const path = join(link, 'a.txt');
    buffers.set(path, 'unsaved\n');
    const { sessionId } = await agent.request('session/new', { cwd: link, mcpServers: [] });
    await prompt(sessionId, 'Change it.');
    expect(readFileSync(path, 'utf8')).toBe('changed\n');
    expect(asked).toContain(`write ${path}`);
    expect(callsIn(updates)[0]).toMatchObject({
      content: [{ type: 'diff', path, oldText: 'unsaved\n', newText: 'changed\n' }],
      locations: [{ path }],
    });
    await agent.request('session/load', { sessionId, cwd: join(cwd, 'real'), mcpServers: [] });
  });
});

test('a file that the rules close is not asked of the editor', async () => {
  verifies('cli.acp.files');
  const asked: string[] = [];
  const replies = [{ calls: [{ name: 'read_file', arguments: { path: '.env' } }] }, { text: 'No.' }];
  const options = { replies, files: FILES, capabilities: FS, extend: withBuffers(new Map(), asked) };
  await withEditor(options, async ({ begin, prompt, asked: requests }) => {
    await prompt(await begin(), 'Read it.');
    expect(asked).toEqual([]);
    expect(requests()[1]).not.toContain('secret');
  });
});

test('a command runs in a terminal of the editor, which its call shows, and the model reads its output and exit code', async () => {
  verifies('cli.acp.terminals');
  const commands: string[] = [];
  const open = new Map();
  const run = { name: 'run_command', arguments: { command: ['sh', '-c', 'cat b.txt; exit 3'] } };
  const options = {
    replies: [{ calls: [run] }, { text: 'Done.' }],
    files: FILES,
    capabilities: { terminal: true },
    args: ['--sandbox', 'off'],
    extend: withTerminals(commands, open),
  };
  await withEditor(options, async ({ begin, prompt, asked, updates, questions }) => {
    await prompt(await begin(), 'Run it.');
    expect(JSON.stringify(questions[0]?.toolCall.content)).toContain('not isolated');
    expect(commands[0]).toMatch(/sh -c cat b.txt; exit 3$/);
    expect(callsIn(updates)[0]).toMatchObject({
      kind: 'execute',
      content: [{ type: 'terminal', terminalId: 'terminal-1' }],
    });
    expect(asked()[1]).toContain('Exit code 3');
    expect(asked()[1]).toContain('one');
    expect(open.size).toBe(0);
  });
});

test('a command that runs when the turn is cancelled is ended in its terminal', async () => {
  verifies('cli.acp.terminals');
  const commands: string[] = [];
  const open = new Map();
  const run = { name: 'run_command', arguments: { command: ['sleep', '600'] } };
  const options = {
    replies: [{ calls: [run] }],
    capabilities: { terminal: true },
    args: ['--sandbox', 'off'],
    extend: withTerminals(commands, open),
  };
  await withEditor(options, async ({ begin, prompt, agent }) => {
    const sessionId = await begin();
    const turn = prompt(sessionId, 'Run it.');
    await expect.poll(() => commands.length).toBe(1);
    await agent.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
    await expect.poll(() => open.size).toBe(0);
  });
});

test('what a command wrote last is shown while it runs, also where it came right after something else', async () => {
  verifies('cli.acp.terminals');
  const run = {
    name: 'run_command',
    arguments: { command: ['sh', '-c', 'echo compiling; sleep 0.02; printf Password:; sleep 600'] },
  };
  const options = { replies: [{ calls: [run] }], args: ['--sandbox', 'off'] };
  await withEditor(options, async ({ begin, prompt, agent, updates }) => {
    const sessionId = await begin();
    const turn = prompt(sessionId, 'Run it.');
    await expect.poll(() => JSON.stringify(updates)).toContain('compiling\\nPassword:');
    await agent.notify('session/cancel', { sessionId });
    expect(await turn).toMatchObject({ stopReason: 'cancelled' });
  });
});
