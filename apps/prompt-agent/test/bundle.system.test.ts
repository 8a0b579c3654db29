import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test, vi } from 'vitest';
import { main } from '../src/main.ts';
import { prompt, workspace } from './program.ts';

const ANSWER = 'export const answer = 41;\n';
const EDIT = {
  name: 'edit_file',
  arguments: { path: 'src/answer.ts', edits: [{ old_text: '41', new_text: '42 /* \u202e\u001b[2J */' }] },
};
const DONE = { text: 'Done.' };

const project = () => workspace({ 'src/answer.ts': ANSWER, 'docs/a.md': 'A\n' });
const textOf = (cwd: string, path: string) => readFileSync(join(cwd, path), 'utf8');

/** Whether a process with this text in its command line runs. */
function isRunning(text: string): boolean {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .some((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
      } catch {
        return false;
      }
    });
}

test.runIf(process.platform === 'linux').each([
  ['a command that is waited for', false],
  ['a command in the background', true],
])('Ctrl-C leaves nothing of %s running', async (_, background) => {
  verifies('cli.commands.end');
  const cwd = project();
  // Ignores SIGTERM, and has a child.
  const seconds = `30${process.pid}${background ? 1 : 0}`;
  const script = `trap "" TERM; echo begun > begun; sleep ${seconds} & wait; sleep ${seconds}`;
  const command = { name: 'run_command', arguments: { command: ['sh', '-c', script], background } };
  const server = await startWireServer({
    replies: [{ calls: [command] }, { text: 'never', fault: { beforeHead: 'stall' } }],
  });
  try {
    let child: { kill(signal: 'SIGINT'): unknown } | undefined;
    const args = [
      '--base-url',
      server.baseUrl,
      '--model',
      'm',
      '--bundle',
      'code_agent',
      '--allow',
      'run_command',
      'go',
    ];
    const ended = prompt(args, { cwd, watch: (process_) => (child ??= process_) });
    await vi.waitFor(() => expect(existsSync(join(cwd, 'begun')) && child !== undefined).toBe(true), {
      timeout: 60_000,
    });
    expect(isRunning(seconds)).toBe(true);
    child?.kill('SIGINT');
    expect((await ended).code).toBe(130);
    await vi.waitFor(() => expect(isRunning(seconds)).toBe(false), { timeout: 60_000 });
  } finally {
    await server.close();
  }
});

test.each([
  ['y\n', true],
  ['n\n', false],
])('on a terminal an edit is asked about, and %j is the answer', async (typed, isChanged) => {
  verifies('cli.bundle');
  const cwd = project();
  const server = await startWireServer({ replies: [{ calls: [EDIT] }, DONE] });
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  const stderr = Object.assign(new PassThrough(), { isTTY: true });
  let shown = '';
  stderr.setEncoding('utf8').on('data', (piece: string) => {
    shown += piece;
  });
  const code = main({
    argv: ['--base-url', server.baseUrl, '--model', 'm', '--bundle', 'code_agent', 'do it'],
    env: { PROMPT_AGENT_SERVERS: '' },
    cwd,
    home: cwd,
    stdin,
    stdout: new PassThrough(),
    stderr,
    signal: new AbortController().signal,
  });
  await vi.waitFor(() => expect(shown).toContain('[y/N]'), { timeout: 60_000 });
  stdin.write(typed);
  expect(await code).toBe(0);
  await server.close();
  expect(textOf(cwd, 'src/answer.ts').includes('42')).toBe(isChanged);
});
