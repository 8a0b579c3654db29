import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { startWireServer, verifies, type WireServerOptions } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { prompt, promptHere, workspace } from './program.ts';
import { fakeTerminal, plain, promptAt } from './terminals.ts';

const BUNDLE = ['--bundle', 'code_agent', '--code-mode'];
const project = () => workspace({ 'a.txt': 'one\n', 'b.txt': 'two\n' });
const textOf = (cwd: string, path: string): string => readFileSync(join(cwd, path), 'utf8');
const running = (code: string): WireServerOptions['replies'] => [
  { calls: [{ name: 'run_code', arguments: { code } }] },
  { text: 'Done.' },
];

/** Runs the program on a terminal; each answer is typed at the next question. */
async function onTerminal(cwd: string, code: string, ...answers: readonly string[]) {
  const server = await startWireServer({ replies: running(code) });
  const terminal = fakeTerminal(100);
  const model = ['--base-url', server.baseUrl, '--model', 'm'];
  const ended = promptAt(terminal, [...model, ...BUNDLE, 'do it'], { cwd });
  for (const [at, answer] of answers.entries()) {
    const questions = () => plain(terminal.raw()).split('[y/N]').length - 1;
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    await vi.waitFor(() => expect(questions()).toBe(at + 1), 60_000);
    terminal.stdin.write(`${answer}\n`);
  }
  const exitCode = await ended;
  await server.close();
  return { exitCode, raw: terminal.raw(), text: plain(terminal.raw()), requests: server.requests };
}

const EDITS = `
  const edit = (path, old_text) => tools.edit_file({ path, edits: [{ old_text, new_text: 'changed' }] });
  await Promise.all([edit('a.txt', 'one'), edit('b.txt', 'two')]);
  return 'both';
`;

test('a program is shown highlighted, its calls as they run, and those made at once are asked about as one plan', async () => {
  verifies('cli.codeMode.shown', 'cli.codeMode.plan');
  const cwd = project();
  const { exitCode, raw, text, requests } = await onTerminal(cwd, EDITS, 'y');
  expect(exitCode).toBe(0);
  expect(text).toContain(
    "│ const edit = (path, old_text) => tools.edit_file({ path, edits: [{ old_text, new_text: 'changed' }] });",
  );
  expect(raw).toContain('\u001B[35mconst');
  expect(text).toContain('This program wants to make 2 calls: edit_file × 2. Run them? [y/N]');
  expect(text).toMatch(/ {2}✓ edit_file .*a\.txt/);
  expect(text).toMatch(/✓ run_code 3 lines/);
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['changed\n', 'changed\n']);
  expect(JSON.stringify(requests[1]?.body)).toContain('both');
});

test('a plan that is refused changes nothing, and the program reads why', async () => {
  verifies('cli.codeMode.plan');
  const cwd = project();
  const { requests } = await onTerminal(cwd, EDITS, 'not both');
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['one\n', 'two\n']);
  expect(JSON.stringify(requests[1]?.body)).toContain('The user says: not both');
});

test('a plan can be answered call by call', async () => {
  verifies('cli.codeMode.plan');
  const cwd = project();
  const code = EDITS.replace('Promise.all', 'Promise.allSettled');
  await onTerminal(cwd, code, 'e', 'y', 'n');
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['changed\n', 'two\n']);
});

test('the rules hold for the calls of a program: what is allowed runs unasked, what is denied never', async () => {
  verifies('cli.codeMode.rules');
  const cwd = project();
  const server = await startWireServer({ replies: running(EDITS.replace('Promise.all', 'Promise.allSettled')) });
  const rules = ['--allow', 'edit_file(a.txt)', '--deny', 'edit_file(b.txt)'];
  const model = ['--base-url', server.baseUrl, '--model', 'm'];
  const { code } = await promptHere([...model, ...BUNDLE, ...rules, 'do it'], { cwd });
  await server.close();
  expect(code).toBe(0);
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['changed\n', 'two\n']);
});

test('without a terminal a call that needs approval waits, and the program goes on where it was allowed', async () => {
  verifies('cli.codeMode.rules');
  const cwd = project();
  const server = await startWireServer({ replies: running(EDITS) });
  const model = ['--base-url', server.baseUrl, '--model', 'm'];
  const first = await promptHere([...model, ...BUNDLE, 'do it'], { cwd });
  expect(first.code).toBe(4);
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['one\n', 'two\n']);
  const second = await promptHere([...model, ...BUNDLE, '--allow', 'edit_file', '-c'], { cwd });
  await server.close();
  expect(second).toMatchObject({ code: 0, stdout: 'Done.\n' });
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['changed\n', 'changed\n']);
});

test('what is kept of a session has the program and its calls', async () => {
  verifies('cli.codeMode.shown');
  const cwd = project();
  const server = await startWireServer({ replies: running(EDITS) });
  const model = ['--base-url', server.baseUrl, '--model', 'm'];
  await promptHere([...model, ...BUNDLE, '--allow', 'edit_file', '--session', 'edits', 'do it'], { cwd });
  await server.close();
  const { stdout } = await promptHere(['sessions', 'show', 'edits'], { cwd });
  expect(stdout).toContain("new_text: 'changed'");
  expect(stdout).toMatch(/edit_file .*a\.txt/);
  const page = join(cwd, 'page.html');
  await promptHere(['sessions', 'show', 'edits', '--html', '-o', page], { cwd });
  expect(readFileSync(page, 'utf8')).toContain('await Promise.all([edit(');
});

test('serve mcp offers programs to other clients: their calls keep to the rules', async () => {
  verifies('cli.codeMode.serve');
  const cwd = project();
  const cli = join(import.meta.dirname, '../dist/cli.js');
  const client = new Client({ name: 'test', version: '1' });
  const args = [cli, 'serve', 'mcp', ...BUNDLE, '--allow', 'edit_file(a.txt)', '--allow', 'run_code'];
  const env = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? '',
    HOME: cwd,
    PROMPT_AGENT_SERVERS: '',
  };
  await client.connect(new StdioClientTransport({ command: process.execPath, args, cwd, env, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([['run_code', false]]);
  const run = (code: string) => client.callTool({ name: 'run_code', arguments: { code } });
  await run(EDITS.replace('Promise.all', 'Promise.allSettled'));
  await client.close();
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['changed\n', 'two\n']);
});

test('nothing of it is loaded without the flag', async () => {
  verifies('cli.codeMode.unused');
  const { stdout } = await promptHere(['tools', 'list', '--json'], { cwd: project() });
  expect(stdout).not.toContain('run_code');
  const cli = readFileSync(join(import.meta.dirname, '../dist/cli.js'), 'utf8');
  expect(cli).not.toContain('@kernel/code-mode');
});

test('the installed program, in which the packages come from several files, asks about the calls of a program, too', async () => {
  verifies('cli.codeMode.rules');
  const cwd = project();
  const server = await startWireServer({ replies: running(EDITS) });
  const model = ['--base-url', server.baseUrl, '--model', 'm'];
  const { code, stderr } = await prompt([...model, ...BUNDLE, 'do it'], { cwd });
  await server.close();
  expect(code).toBe(4);
  expect(stderr).toContain('edit_file needs approval');
  expect([textOf(cwd, 'a.txt'), textOf(cwd, 'b.txt')]).toEqual(['one\n', 'two\n']);
});
