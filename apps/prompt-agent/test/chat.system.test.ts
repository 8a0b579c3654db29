import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createWorkspace } from '@kernel/toolbox';
import { startWireServer, verifies, type WireServer, type WireServerOptions } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { createComplete, resolveMentions } from '../src/chat/complete.ts';
import { createPasteFilter, textOfLine } from '../src/chat/paste-filter.ts';
import { transcriptOf } from '../src/chat/slash-commands.ts';
import { link, prompt, promptHere, workspace } from './program.ts';
import { inPseudoTerminal, type PseudoTerminal } from './terminals.ts';

/** Runs `chat` with lines on stdin, which is no terminal. */
const chatLines = (input: string, args: readonly string[], cwd: string) =>
  promptHere(['chat', ...args], { cwd, input });

async function withServer<T>(
  replies: WireServerOptions['replies'],
  work: (model: readonly string[], server: WireServer) => Promise<T>,
): Promise<T> {
  const server = await startWireServer({ replies });
  try {
    return await work(['--base-url', server.baseUrl, '--model', 'm-1'], server);
  } finally {
    await server.close();
  }
}

/** The roles and texts of a request. */
function messagesOf({ requests }: WireServer, index: number): readonly string[] {
  const body = requests[index]?.body as { messages: { role: string; content: unknown }[] };
  return body.messages.map(
    ({ role, content }) => `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`,
  );
}

const project = () => workspace({ 'a.txt': 'one\n', 'src/index.ts': 'x\n', '.env': 'KEY=1\n' });
const EDIT = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] } };

test('where stdin is no terminal each line is a message of one conversation, and the answers alone are on stdout', async () => {
  verifies('cli.chat.turns');
  await withServer([{ text: 'First.' }, { text: 'Second.' }], async (model, server) => {
    const input = 'one\n\n  \ntwo\\\nof two lines';
    const { code, stdout } = await prompt(['chat', ...model], { cwd: project(), input });
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'First.\nSecond.\n' });
    expect(messagesOf(server, 1)).toEqual(['user: one', 'assistant: First.', 'user: two\nof two lines']);
  });
});

test('the commands work on the conversation: retry, compact, undo, save, cost, tools, model', async () => {
  verifies('cli.chat.turns');
  const replies = [
    { text: 'First.', usage: { inputTokens: 10, outputTokens: 2 } },
    { text: 'Again.', usage: { inputTokens: 10, outputTokens: 3 } },
    { calls: [EDIT] },
    { text: 'Edited.' },
    { text: 'Noted.' },
    { text: 'THE SUMMARY' },
    { text: 'Last.' },
  ];
  await withServer(replies, async (model, server) => {
    const cwd = project();
    const lines = [
      'one',
      '/retry',
      '/cost',
      'edit it',
      '/undo',
      'go on',
      '/save talk.md',
      '/save talk.md',
      '/compact',
      '/model m-2',
      'last',
    ];
    const flags = ['--bundle', 'code_agent', '--yes', 'write,idempotent'];
    const { code, stdout, stderr } = await chatLines(`${lines.join('\n')}\n`, [...model, ...flags], cwd);
    expect(code).toBe(0);
    expect(stdout).toBe('First.\nAgain.\nEdited.\nNoted.\nLast.\n');
    expect(messagesOf(server, 1).slice(1)).toEqual(['user: one']);
    expect(stderr).toContain('tokens: 20 in + 5 out = 25 in 2 turns');
    expect(stderr).toContain('restored: a.txt\n');
    expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    expect(messagesOf(server, 4).at(-1)).toBe('user: [I took back what you changed in the last turn: a.txt.]\n\ngo on');
    const saved = readFileSync(join(cwd, 'talk.md'), 'utf8');
    expect(saved).toContain('## You\n\none\n\n## Model\n\nAgain.\n');
    expect(saved).toContain('- called ` edit_file {');
    // A file that is there is not replaced.
    expect(stderr).toContain('talk.md exists already');
    expect(messagesOf(server, 5).at(-1)).toContain('Summarize this conversation');
    expect(messagesOf(server, 6).slice(1).join('\n')).toMatch(
      /^user: What we have talked about so far:\n\nTHE SUMMARY[^]*last$/,
    );
    expect(server.requests[6]?.body).toMatchObject({ model: 'm-2' });
  });
});

test('what is shown of tools, rules and unknown commands is escaped, and names what was meant', async () => {
  verifies('cli.chat.turns');
  const cwd = project();
  const lines = [
    '/help',
    '/tools',
    '/tools read_file',
    '/tools raed_file',
    '/permissions',
    '/tols',
    '/x\u001B[2J',
    '/undo',
    '/retry',
    '/save',
    '/model x',
    '/exit',
    'never',
  ];
  const { code, stdout, stderr } = await chatLines(
    lines.join('\n'),
    ['--provider', 'offline', '--allow', 'read_file'],
    cwd,
  );
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  for (const said of [
    '/compact',
    'read_file',
    '"path"',
    'Did you mean read_file?',
    'allow read_file',
    'permissions.json',
    'Did you mean /tools?',
    String.raw`/x\x1b[2J`,
    'changed nothing',
    'no message to ask again',
    'nothing to save',
    'offline uses no model',
  ])
    expect(stderr).toContain(said);
  expect(stderr).not.toContain('\u001B');
});

test('it works offline, a failed message does not end it, and its exit code is kept', async () => {
  verifies('cli.chat.turns');
  const { code, stdout } = await chatLines('what is 6 * 7?\nwrite a poem\nread a.txt\n', [], project());
  expect(code).toBe(3);
  expect(stdout).toContain('42');
  expect(stdout).toMatch(/one\n$/);
});

test('a call that needs approval waits, without a terminal, and the chat goes on', async () => {
  verifies('cli.chat.turns', 'cli.approval.pending');
  await withServer([{ calls: [EDIT] }, { text: 'Fine.' }], async (model, server) => {
    const cwd = project();
    const { code, stdout, stderr } = await chatLines('edit\nnever mind\n', [...model, '--bundle', 'code_agent'], cwd);
    expect({ code, stdout }).toEqual({ code: 4, stdout: 'Fine.\n' });
    expect(stderr).toContain("--allow 'edit_file(a.txt)'");
    expect(messagesOf(server, 1).at(-1)).toBe('user: never mind');
  });
});

async function atTerminal(
  replies: WireServerOptions['replies'],
  work: (terminal: PseudoTerminal, server: WireServer, cwd: string) => Promise<void>,
  args: readonly string[] = [],
  inShell = false,
): Promise<void> {
  await withServer(replies, async (model, server) => {
    const cwd = project();
    const terminal = inPseudoTerminal(['chat', ...model, ...args], { cwd, inShell });
    await terminal.sees('› ');
    await work(terminal, server, cwd);
  });
}

test('in a pseudo-terminal messages are answered turn by turn, and Ctrl-D leaves', async () => {
  verifies('cli.chat.turns', 'cli.chat.steer');
  await atTerminal([{ text: '# First' }, { text: 'Second.' }], async (terminal, server) => {
    terminal.type('one\r');
    await terminal.sees('First');
    await terminal.sees('› ');
    // The history: the message before.
    terminal.type('\u001B[A and more\r');
    await terminal.sees('Second.');
    await terminal.sees('› ');
    terminal.type('\u0004');
    expect(await terminal.ended).toBe(0);
    expect(messagesOf(server, 1)).toEqual(['user: one', 'assistant: # First', 'user: one and more']);
    expect(terminal.raw()).toContain('\u001B[?2004h');
    expect(terminal.raw()).toContain('\u001B[?2004l');
  });
});

test('a paste of several lines is one message, and so are lines that end with a backslash or Alt-Enter', async () => {
  verifies('cli.chat.editor');
  await atTerminal([{ text: 'First.' }, { text: 'Second.' }], async (terminal, server) => {
    terminal.type('see: \u001B[200~line 1\r\n\tline 2\u0003\u001B[201~');
    terminal.type('\r');
    await terminal.sees('First.');
    await terminal.sees('› ');
    terminal.type('a\\\r');
    await terminal.sees('… ');
    terminal.type('b\u001B\rc\r');
    await terminal.sees('Second.');
    terminal.type('\u0004');
    expect(await terminal.ended).toBe(0);
    expect(messagesOf(server, 0)).toEqual(['user: see: line 1\n\tline 2']);
    expect(messagesOf(server, 1).at(-1)).toBe('user: a\nb\nc');
  });
});

test('Tab completes commands, tools and files', async () => {
  verifies('cli.chat.editor');
  await atTerminal([{ text: 'Read.' }], async (terminal, server) => {
    terminal.type('look at @src/in');
    terminal.type('\t');
    await terminal.sees('@src/index.ts ');
    terminal.type('\r');
    await terminal.sees('Read.');
    expect(messagesOf(server, 0)).toEqual(['user: look at src/index.ts ']);
    await terminal.sees('› ');
    terminal.type('/perm');
    terminal.type('\t');
    await terminal.sees('/permissions ');
    terminal.type('\r');
    await terminal.sees('permissions.json');
    await terminal.sees('› ');
    terminal.type('/exit\r');
    expect(await terminal.ended).toBe(0);
  });
});

const SLOW = {
  name: 'run_command',
  arguments: { command: ['sh', '-c', 'touch begun; while [ ! -e go ]; do sleep 0.1; done'] },
};
const COMMANDS = ['--bundle', 'code_agent', '--yes', 'external,write,idempotent'];
const begun = (cwd: string) => vi.waitFor(() => expect(existsSync(join(cwd, 'begun'))).toBe(true), { timeout: 60_000 });

test('what is typed while a call runs is shown, and reaches the model before its next step', async () => {
  verifies('cli.chat.steer');
  await atTerminal(
    [{ calls: [SLOW] }, { text: 'I see.' }],
    async (terminal, server, cwd) => {
      terminal.type('run it\r');
      await begun(cwd);
      terminal.type('stop at two');
      await terminal.sees('› stop at two');
      terminal.type('\r');
      await terminal.sees('1 message waits');
      writeFileSync(join(cwd, 'go'), '');
      await terminal.sees('» stop at two');
      await terminal.sees('I see.');
      terminal.type('\u0004');
      expect(await terminal.ended).toBe(0);
      expect(messagesOf(server, 1).at(-1)).toBe('user: stop at two');
    },
    COMMANDS,
  );
});

test('after Ctrl-Z and fg the chat goes on with what was typed', async () => {
  verifies('cli.chat.steer');
  await atTerminal(
    [{ text: 'First.' }],
    async (terminal, server) => {
      terminal.type('half');
      await terminal.sees('half');
      terminal.type('\u001A');
      await terminal.sees('Stopped');
      terminal.type('fg\r');
      await terminal.sees('› half');
      terminal.type(' a line\r');
      await terminal.sees('First.');
      await terminal.sees('› ');
      expect(messagesOf(server, 0)).toEqual(['user: half a line']);
      terminal.type('\u0004');
      await terminal.sees('$ ');
      terminal.type('exit\r');
      expect(await terminal.ended).toBe(0);
    },
    [],
    true,
  );
});

test('a turn that Ctrl-Z stops goes on after fg, and takes what is typed', async () => {
  verifies('cli.chat.steer');
  await atTerminal(
    [{ calls: [SLOW] }, { text: 'I see.' }],
    async (terminal, server, cwd) => {
      terminal.type('run it\r');
      await begun(cwd);
      terminal.type('\u001A');
      await terminal.sees('Stopped');
      terminal.type('fg\r');
      terminal.type('stop at two');
      await terminal.sees('› stop at two');
      terminal.type('\r');
      await terminal.sees('1 message waits');
      writeFileSync(join(cwd, 'go'), '');
      await terminal.sees('I see.');
      expect(messagesOf(server, 1).at(-1)).toBe('user: stop at two');
      terminal.type('\u0004');
      await terminal.sees('$ ');
      terminal.type('exit\r');
      expect(await terminal.ended).toBe(0);
    },
    COMMANDS,
    true,
  );
});

test('Ctrl-C stops the turn and not the chat; twice leaves', async () => {
  verifies('cli.chat.steer');
  await atTerminal(
    [{ calls: [SLOW] }, { text: 'Next.' }],
    async (terminal, server, cwd) => {
      terminal.type('run it\r');
      await begun(cwd);
      terminal.type('\u0003');
      await terminal.sees('interrupted');
      await terminal.sees('› ');
      terminal.type('next\r');
      await terminal.sees('Next.');
      await terminal.sees('› ');
      expect(messagesOf(server, 1).at(-1)).toBe('user: next');
      // With something typed it clears the line.
      terminal.type('half a line');
      await terminal.sees('half a line');
      terminal.type('\u0003');
      terminal.type('\u0003');
      await terminal.sees('Ctrl-C again leaves');
      terminal.type('\u0003');
      expect(await terminal.ended).toBe(0);
    },
    COMMANDS,
  );
});

test('a question is answered in the line of the chat, and what was being typed is there again', async () => {
  verifies('cli.chat.steer', 'cli.approval.answers');
  await atTerminal(
    [{ calls: [EDIT], fault: { delayMs: 500 } }, { text: 'Denied.' }, { text: 'Last.' }],
    async (terminal, server, cwd) => {
      terminal.type('edit\r');
      terminal.type('draft');
      await terminal.sees('[y/N]');
      await terminal.sees('› ');
      terminal.type('not today\r');
      await terminal.sees('Denied.');
      await terminal.sees('› draft');
      terminal.type('\r');
      await terminal.sees('Last.');
      terminal.type('\u0004');
      expect(await terminal.ended).toBe(0);
      expect(messagesOf(server, 1).at(-1)).toContain('The user says: not today');
      expect(messagesOf(server, 2).at(-1)).toBe('user: draft');
      expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    },
    ['--bundle', 'code_agent'],
  );
});

test('Ctrl-C at a question stops the turn, and the call does not run', async () => {
  verifies('cli.chat.steer', 'cli.approval.answers');
  await atTerminal(
    [{ calls: [EDIT] }, { text: 'Next.' }],
    async (terminal, server, cwd) => {
      terminal.type('edit\r');
      await terminal.sees('[y/N]');
      await terminal.sees('› ');
      terminal.type('\u0003');
      await terminal.sees('interrupted');
      await terminal.sees('› ');
      terminal.type('next\r');
      await terminal.sees('Next.');
      terminal.type('\u0004');
      expect(await terminal.ended).toBe(0);
      expect(messagesOf(server, 1).at(-1)).toBe('user: next');
      expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
    },
    ['--bundle', 'code_agent'],
  );
});

/** A server by hand, whose tool is described by a file. */
const SERVER = `
import { createInterface } from 'node:readline';
import { readFileSync } from 'node:fs';
const tools = () => [{ name: 'greet', description: readFileSync('about.txt', 'utf8'), inputSchema: { type: 'object' } }];
const answer = (id, result) => console.log(JSON.stringify({ jsonrpc: '2.0', id, result }));
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } });
  else if (method === 'tools/list') answer(id, { tools: tools() });
  else if (method === 'server/discover') console.log(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32601, message: 'Method not found' } }));
});
`;

test('tools of a server that changed are asked about before the chat begins', async () => {
  verifies('cli.chat.turns', 'cli.pins');
  const cwd = workspace({ 'server.mjs': SERVER, 'about.txt': 'Greets.' });
  const args = ['--provider', 'offline', '--execute', '--tools', `'${process.execPath}' server.mjs`];
  await chatLines('/tools\n', args, cwd);
  writeFileSync(join(cwd, 'about.txt'), 'Greets loudly.');
  const terminal = inPseudoTerminal(['chat', ...args], { cwd });
  await terminal.sees('Use them? [y/N]');
  terminal.type('y\r');
  await terminal.sees('› ');
  terminal.type('/tools mcp__mcp__greet\r');
  await terminal.sees('Greets loudly.');
  await terminal.sees('› ');
  terminal.type('\u0004');
  expect(await terminal.ended).toBe(0);
});

test('a paste arrives whole, however its pieces are cut, and presses no keys', async () => {
  verifies('cli.chat.editor');
  const typed = 'a\u001B[200~x\r\ny\tz\u0003\u001B[A\u001B[201~b\r';
  for (let cut = 1; cut < typed.length; cut += 1) {
    // An escape alone is a key, which does not wait for more.
    if (cut === 2) continue;
    const filter = createPasteFilter();
    let out = '';
    filter.on('data', (piece: string) => {
      out += piece;
    });
    filter.write(typed.slice(0, cut));
    filter.end(typed.slice(cut));
    // oxlint-disable-next-line no-await-in-loop
    await new Promise((resolve) => filter.once('end', resolve));
    expect(textOfLine(out)).toBe('ax\ny\tz[Ab\r');
  }
});

test('completion leaves out what tools cannot read, and a mention is a path only where there is a file', async () => {
  verifies('cli.chat.editor');
  const cwd = project();
  link(cwd, 'outside', '/etc');
  const files = await createWorkspace({ root: cwd });
  const complete = createComplete({ commands: ['/tools', '/help'], tools: () => ['read_file'], workspace: files });
  const ask = (line: string) =>
    new Promise<readonly [string[], string]>((resolve) => {
      complete(line, (_, result) => resolve(result));
    });
  expect(await ask('/t')).toEqual([['/tools '], '/t']);
  expect(await ask('/tools re')).toEqual([['read_file'], 're']);
  expect((await ask('x @'))[0]).toEqual(expect.arrayContaining(['@a.txt ', '@src/']));
  expect((await ask('x @'))[0]).not.toContain('@.env ');
  expect(await ask('@../')).toEqual([[], '@../']);
  expect(await ask('@outside/')).toEqual([[], '@outside/']);
  expect(await resolveMentions('see @a.txt, @src/ and @kernel/tools or me@a.txt', files)).toBe(
    'see @a.txt, src/ and @kernel/tools or me@a.txt',
  );
});

test('a transcript is Markdown, with calls named and control characters escaped', () => {
  verifies('cli.chat.turns');
  const call = { type: 'tool-call', id: '1', name: 'x', arguments: '{"a":"``"}' } as const;
  expect(
    transcriptOf([
      { role: 'user', content: 'a\u001B[2J' },
      { role: 'assistant', content: [{ type: 'text', text: 'b' }, call] },
      { role: 'tool', toolCallId: '1', name: 'x', content: 'result' },
    ]),
  ).toBe('## You\n\na\\x1b[2J\n\n## Model\n\nb\n\n- called ``` x {"a":"``"} ```\n');
  expect(transcriptOf([])).toBe('');
});
