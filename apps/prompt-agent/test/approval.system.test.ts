import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JsonObject } from '@kernel/protocol';
import { startWireServer, verifies, type WireServerOptions } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { promptHere, workspace } from './program.ts';
import { fakeTerminal, inPseudoTerminal, plain, promptAt } from './terminals.ts';

const EDIT = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'one', new_text: 'two' }] } };
const BUNDLE = ['--bundle', 'code_agent'];

interface Call {
  readonly name: string;
  readonly arguments: JsonObject;
}

const project = (files: Readonly<Record<string, string>> = {}) =>
  workspace({ 'a.txt': 'one\n', 'b.txt': 'B\n', ...files });
const textOf = (cwd: string, path: string) => readFileSync(join(cwd, path), 'utf8');

/** Runs the built program without a terminal. */
async function working(cwd: string, replies: WireServerOptions['replies'], args: readonly string[]) {
  const server = await startWireServer({ replies });
  try {
    const outcome = await promptHere(['--base-url', server.baseUrl, '--model', 'm', ...args, 'do it'], { cwd });
    return { ...outcome, requests: server.requests.map(({ body }) => JSON.stringify(body)) };
  } finally {
    await server.close();
  }
}

/** What a person reads before a question about a call, on a terminal without colours. */
async function asked(cwd: string, calls: readonly Call[]): Promise<string> {
  const server = await startWireServer({ replies: [{ calls: [...calls] }, { text: 'Done.' }] });
  const terminal = fakeTerminal();
  const ended = promptAt(terminal, ['--base-url', server.baseUrl, '--model', 'm', ...BUNDLE, 'do it'], { cwd });
  await vi.waitFor(() => expect(plain(terminal.raw())).toContain('[y/N]'), { timeout: 30_000 });
  const text = plain(terminal.raw());
  terminal.stdin.write('n\n');
  await ended;
  await server.close();
  return text;
}

test('an edit is asked about with its diff in colours in place of its arguments, and nothing is written before', async () => {
  verifies('cli.approval.diff');
  const cwd = project({ 'a.txt': 'zero\none\nlast\n' });
  const server = await startWireServer({ replies: [{ calls: [EDIT] }, { text: 'Done.' }] });
  const terminal = inPseudoTerminal(['--base-url', server.baseUrl, '--model', 'm', ...BUNDLE, 'do it'], { cwd });
  await terminal.sees('[y/N]');
  const shown = terminal.raw();
  expect(shown).toContain('\u001B[31m  -one\u001B[0m');
  expect(shown).toContain('\u001B[32m  +two\u001B[0m');
  expect(plain(shown)).not.toContain('"old_text"');
  expect(textOf(cwd, 'a.txt')).toBe('zero\none\nlast\n');
  terminal.type('y\r');
  expect(await terminal.ended).toBe(0);
  await server.close();
  expect(textOf(cwd, 'a.txt')).toBe('zero\ntwo\nlast\n');
});

test.each([
  ['write_file', { path: 'a.txt', content: 'three\n' }, ['-one', '+three']],
  ['write_file', { path: 'new/c.txt', content: 'C\n' }, ['/dev/null', '+C']],
  ['apply_patch', { patch: '*** Begin Patch\n*** Update File: a.txt\n-one\n+two\n*** End Patch' }, ['-one', '+two']],
  [
    'edit_file',
    { path: 'a.txt', edits: [{ old_text: 'one', new_text: '\u001B[2J\u202Etwo' }] },
    ['+\\x1b[2J\\u202etwo'],
  ],
])('%s is asked about with its diff: %j', async (name, args, parts) => {
  verifies('cli.approval.diff');
  const cwd = project();
  const text = await asked(cwd, [{ name, arguments: args }]);
  for (const part of parts) expect(text.slice(0, text.indexOf('[y/N]'))).toContain(part);
  expect([textOf(cwd, 'a.txt'), existsSync(join(cwd, 'new'))]).toEqual(['one\n', false]);
});

test('where a diff is cut or tells nothing, the arguments are shown whole as well; one that cannot be made says why', async () => {
  verifies('cli.approval.diff', 'cli.approval.whole');
  const write = (content: string) => [{ name: 'write_file', arguments: { path: 'a.txt', content } }];
  const wide = await asked(project(), write(`${'x'.repeat(500)}END\n`));
  expect(wide).toContain('more characters)');
  expect(wide.replaceAll(/\s/g, '')).toContain('xEND');
  const same = await asked(project(), write('one\n'));
  expect(same).toContain('path: a.txt\ncontent:\n  one\n');
  const failing = { name: 'edit_file', arguments: { path: 'a.txt', edits: [{ old_text: 'none', new_text: 'x' }] } };
  const text = await asked(project(), [failing]);
  expect(text).toContain('As things are now it would fail: "a.txt": old_text is not in the file.');
  expect(text).toContain('"old_text": "none"');
});

test('a call that only reads and that a rule asks about waits without a terminal, goes on with -c, and others are not asked about', async () => {
  verifies('cli.approval.pending', 'cli.approval.json');
  const cwd = project();
  const read = (path: string) => ({ name: 'read_file', arguments: { path } });
  const replies = [{ calls: [read('a.txt')] }, { calls: [read('b.txt'), read('a.txt')] }];
  const first = await working(cwd, replies, ['--ask', 'read_file(b.txt)', '--json']);
  expect(first.code).toBe(4);
  expect(first.requests).toHaveLength(2);
  expect(first.stderr).toContain(
    "read_file needs approval, and there is no terminal to ask on. The rule 'read_file(b.txt)' asks",
  );
  expect(JSON.parse(first.stdout)).toMatchObject({
    exitCode: 4,
    reason: 'approval',
    pending: [{ name: 'read_file', arguments: '{"path":"b.txt"}', askedBy: 'read_file(b.txt)' }],
  });
  const server = await startWireServer({ replies: [{ text: 'Done.' }] });
  const model = ['--base-url', server.baseUrl, '--model', 'm'];
  expect(await promptHere(['-c', ...model], { cwd })).toMatchObject({ code: 0, stdout: 'Done.\n' });
  await server.close();
  expect(JSON.stringify(server.requests[0]?.body)).toContain('B');
});

test('--json lists the calls that wait, each with the rule that would allow it', async () => {
  verifies('cli.approval.json');
  const { code, stdout } = await working(project(), [{ calls: [EDIT] }], [...BUNDLE, '--json']);
  expect(code).toBe(4);
  expect(JSON.parse(stdout)).toMatchObject({ pending: [{ name: 'edit_file', allow: 'edit_file(a.txt)' }] });
});

test('tools call asks about the arguments that the tool would get, and not about a call that could not run', async () => {
  verifies('cli.commands.tools.call', 'cli.questions.command');
  const call = (given: object) => [
    'tools',
    'call',
    'run_command',
    JSON.stringify(given),
    ...BUNDLE,
    '--sandbox',
    'off',
  ];
  const cwd = workspace({});
  for (const wrong of [{ timeout_seconds: -5 }, { folder: '/harmless' }]) {
    const terminal = fakeTerminal();
    // oxlint-disable-next-line no-await-in-loop -- one terminal after the other
    expect(await promptAt(terminal, call({ command: ['touch', 'made'], ...wrong }), { cwd })).toBe(1);
    expect(plain(terminal.raw())).toContain('ARGUMENTS_INVALID');
    expect(terminal.raw()).not.toContain('[y/N]');
  }
  const terminal = fakeTerminal();
  const ended = promptAt(terminal, call({ command: '["touch","made"]' }), { cwd });
  await vi.waitFor(() => expect(terminal.raw()).toContain('[y/N]'), 30_000);
  expect(plain(terminal.raw())).toContain('$ touch made\n');
  terminal.stdin.write('y\n');
  expect(await ended).toBe(0);
  expect(existsSync(join(cwd, 'made'))).toBe(true);
});
