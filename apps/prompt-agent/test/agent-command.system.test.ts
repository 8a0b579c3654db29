import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { promptHere, workspace } from './program.ts';
import { fakeTerminal, plain, promptAt } from './terminals.ts';

const AGENT = fileURLToPath(new URL('../../../packages/acp/test/fixtures/scripted-agent.ts', import.meta.url));
const COMMAND = `KEY=\${GIVEN} '${process.execPath}' --disable-warning=ExperimentalWarning '${AGENT}'`;

/** Runs the program on a terminal, whose model gives an agent a task; each answer is typed at the next question. */
async function onTerminal(
  cwd: string,
  steps: readonly object[],
  more: readonly string[],
  ...answers: readonly string[]
) {
  const call = { name: 'scripted-agent', arguments: { task: JSON.stringify(steps) } };
  const server = await startWireServer({ replies: [{ calls: [call] }, { text: 'All done.' }] });
  const terminal = fakeTerminal(100);
  const args = ['--base-url', server.baseUrl, '--model', 'm', '--agent-command', COMMAND, ...more, 'do it'];
  const ended = promptAt(terminal, args, { cwd, env: { GIVEN: 'given-by-us' } });
  for (const [at, answer] of answers.entries()) {
    const questions = () => plain(terminal.raw()).split('[y/N]').length - 1;
    // oxlint-disable-next-line no-await-in-loop -- one question after the other
    await vi.waitFor(() => expect(questions()).toBe(at + 1), 60_000);
    terminal.stdin.write(`${answer}\n`);
  }
  const exitCode = await ended;
  await server.close();
  return { exitCode, text: plain(terminal.raw()), requests: server.requests };
}

test('another agent is a tool: it is asked about, so is each command, and its changes are one diff', async () => {
  verifies('cli.agentCommand');
  const cwd = workspace({ 'a.txt': 'one\n' });
  const steps = [
    { environment: ['KEY', 'GIVEN'] },
    { terminal: { command: 'cat', args: ['a.txt'] } },
    { disk: { 'a.txt': 'two\n' } },
    { link: 'to-a', to: 'a.txt' },
    { say: 'Changed it.' },
  ];
  const bundle = ['--bundle', 'code_agent', '--sandbox', 'off'];
  const { exitCode, text, requests } = await onTerminal(cwd, steps, bundle, 'y', 'y', 'y');
  expect(exitCode).toBe(0);
  expect(text).toContain('$ cat a.txt');
  expect(text).toContain('-one');
  expect(text).toContain('+two');
  expect(text).toContain('Not brought back, because it is a link: "to-a".');
  const sent = JSON.stringify(requests[1]?.body);
  expect(sent).toContain('Changed it.');
  expect(sent).toContain('Done (change');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('two\n');
});

test('a command that the agent will run by itself is said to be not isolated, and rules for isolated commands do not allow it', async () => {
  verifies('cli.agentCommand');
  const ask = {
    request: 'session/request_permission',
    params: {
      toolCall: { toolCallId: 'p', kind: 'execute', rawInput: { command: 'ls src', cwd: '@' } },
      options: [{ optionId: 'once', name: 'Yes', kind: 'allow_once' }],
    },
  };
  const steps = [ask, { terminal: { command: 'ls', args: ['src'] } }, { say: 'Done.' }];
  const files = { 'src/a.txt': 'one\n' };
  const rules = ['--bundle', 'code_agent', '--allow', 'run_command(ls *)'];
  const { text } = await onTerminal(workspace(files), steps, rules, 'y', 'y');
  const asked = text.slice(text.indexOf('agent_command'));
  expect(asked).toContain("$ sh -c 'ls src'");
  expect(asked).toContain('folder: ., in the copy of the agent scripted-agent');
  expect(asked).toContain('not isolated\n');
  expect(asked).toContain('The agent runs it by itself, with your rights and without a time limit.');
  expect(asked).not.toContain('s this session');
  const open = await onTerminal(workspace(files), steps, [...rules, '--sandbox', 'off'], 'y');
  expect(open.text).not.toContain('The agent runs it by itself');
  const denied = await onTerminal(workspace(files), steps, [...rules, '--deny', 'run_command(ls *)'], 'y');
  expect(JSON.stringify(denied.requests[1]?.body)).toContain('was not allowed: The rule');
});

test('its changes stay away where the workspace may not be written, and where they are refused', async () => {
  verifies('cli.agentCommand');
  const cwd = workspace({ 'a.txt': 'one\n' });
  const steps = [{ disk: { 'a.txt': 'two\n' } }, { say: 'Changed it.' }];
  const read = await onTerminal(cwd, steps, [], 'y');
  expect(JSON.stringify(read.requests[1]?.body)).toContain('because the rules do not allow writing it');
  const refused = await onTerminal(cwd, steps, ['--bundle', 'code_agent'], 'y', 'not that way');
  expect(JSON.stringify(refused.requests[1]?.body)).toContain('not that way');
  expect(readFileSync(join(cwd, 'a.txt'), 'utf8')).toBe('one\n');
});

test('a folder that it made a file of is asked about with its whole patch, and nothing says that it would fail', async () => {
  verifies('cli.agentCommand');
  const cwd = workspace({ 'd/x.txt': 'one\n' });
  const steps = [{ disk: { d: null } }, { disk: { d: 'now a file\n' } }];
  const { text } = await onTerminal(cwd, steps, ['--bundle', 'code_agent'], 'y', 'y');
  expect(text).toContain('*** Delete File: d/x.txt');
  expect(text).toContain('+now a file');
  expect(text).not.toContain('it would fail');
  expect(readFileSync(join(cwd, 'd'), 'utf8')).toBe('now a file\n');
});

test('its changes of a mode are shown, in the modes that change nothing it is not offered, and its name is free and plain', async () => {
  verifies('cli.agentCommand');
  const cwd = workspace({ 'a.txt': 'one\n', 'run.sh': 'echo\n' });
  const steps = [{ disk: { 'a.txt': 'two\n' } }, { chmod: 'run.sh', mode: 0o755 }];
  const { text } = await onTerminal(cwd, steps, ['--bundle', 'code_agent'], 'y', 'y');
  expect(text).toContain('+two');
  expect(text).toMatch(/mode of "run\.sh": \d+, then 755/);
  expect(statSync(join(cwd, 'run.sh')).mode & 0o777).toBe(0o755);
  const toolsOf = async (...more: string[]) => {
    const server = await startWireServer({ replies: [{ text: 'x' }] });
    const { stderr } = await promptHere(['--base-url', server.baseUrl, '--model', 'm', ...more, 'hello']);
    await server.close();
    return { stderr, sent: JSON.stringify(server.requests[0]?.body) };
  };
  for (const mode of ['plan', 'read-only']) {
    const { stderr, sent } = await toolsOf('--bundle', 'code_agent', '--mode', mode, '--agent-command', 'gemini');
    expect(stderr).toContain(`--agent-command is ignored: the agent can write files, which --mode ${mode}`);
    expect(sent).not.toContain('"gemini"');
  }
  const commands = ['gemini', '/opt/gemini.js', 'read_file', `docker run -v /a:/b x/gem:latest`, `7${'z'.repeat(80)}`];
  const { sent } = await toolsOf(...commands.flatMap((command) => ['--agent-command', command]));
  for (const name of ['gemini', 'gemini_2', 'read_file_2', 'gem', 'z'.repeat(50)]) expect(sent).toContain(`"${name}"`);
});

test('a command without a program is named', async () => {
  verifies('cli.agentCommand');
  const { stderr } = await promptHere(['--agent-command', 'KEY=1', 'hello']);
  expect(stderr).toContain('--agent-command "KEY=1" names no program.');
});

test('a variable that is not set, and an unclosed quote, are named', async () => {
  verifies('cli.agentCommand');
  const variable = await promptHere(['--agent-command', 'KEY=${NONE} gemini', 'hello']);
  expect(variable.stderr).toContain('--agent-command uses the variable NONE, which is not set.');
  const quote = await promptHere(['--agent-command', "gemini 'x", 'hello']);
  expect(quote.stderr).toContain('has an unclosed quote');
});

test('nothing of it is loaded without the flag', () => {
  verifies('cli.agentCommand');
  expect(readFileSync(join(import.meta.dirname, '../dist/cli.js'), 'utf8')).not.toContain('@kernel/acp');
});
