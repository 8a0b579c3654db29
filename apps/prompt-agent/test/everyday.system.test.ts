import { spawn } from 'node:child_process';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { wrapWords } from '../src/output/output.ts';
import { environmentAt, type Outcome, promptHere, workspace } from './program.ts';
import { inPseudoTerminal, plain } from './terminals.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

const FLOOD = `
import { bindTool } from '@kernel/tools';
const parameters = { type: 'object', properties: {} };
const line = 'x'.repeat(79) + '\\n';
export default [
  bindTool({ name: 'flood', description: 'Returns a flood of text.', effect: 'read', parameters }, () => line.repeat(65536)),
];
`;

/** Runs a line of sh in which `$AGENT` is the program; `$1` and so on are the words. */
function inShell(line: string, cwd: string, words: readonly string[] = []): Promise<Outcome> {
  return new Promise((resolve, reject) => {
    const AGENT = `"${process.execPath}" "${CLI}"`;
    const child = spawn('sh', ['-c', line.replaceAll('$AGENT', AGENT), 'sh', ...words], {
      cwd,
      env: environmentAt(cwd),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', reject).on('close', (code) => resolve({ code, stdout, stderr }));
  });
}

test('in a folder that has been deleted one line says so, and the help still works', async () => {
  verifies('cli.folder.gone');
  const cwd = workspace();
  const gone = join(cwd, 'gone');
  const line = (args: string): string => `cd "$1" && rmdir "$1" && $AGENT ${args}`;
  for (const args of ['"what is 6 * 7"', 'doctor', 'sessions list', 'chat']) {
    mkdirSync(gone, { recursive: true });
    const { code, stdout, stderr } = await inShell(line(args), cwd, [gone]);
    expect({ args, code, stdout, stderr }).toEqual({
      args,
      code: 2,
      stdout: '',
      stderr: 'prompt-agent: The current folder no longer exists. Change to another one, such as with: cd ~\n',
    });
  }
  mkdirSync(gone, { recursive: true });
  const asJson = await inShell(line('--json hi'), cwd, [gone]);
  expect(JSON.parse(asJson.stdout)).toMatchObject({ exitCode: 2, error: { code: 'CONFIG_INVALID' } });
  mkdirSync(gone, { recursive: true });
  const help = await inShell(line('--help'), cwd, [gone]);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  rmSync(gone, { recursive: true, force: true });
});

test('a reader that takes one line of a streamed answer ends the program quietly with 0', async () => {
  verifies('cli.pipe.closed');
  const server = await startWireServer({
    replies: () => ({ text: 'one line\n'.repeat(200_000), pieces: 400 }),
  });
  const cwd = workspace();
  const line = `{ $AGENT --quiet --stream --base-url "$1" -m m "say it" || echo "failed with $?" >&2; } | head -1`;
  const { code, stdout, stderr } = await inShell(line, cwd, [server.baseUrl]);
  await server.close();
  expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: 'one line\n', stderr: '' });
});

test('a result of 5 MB is cut for a terminal, which is said; a pipe gets what the model would get', async () => {
  verifies('cli.result.cut');
  const cwd = workspace({ 'tools.ts': FLOOD });
  const added = ['--execute', '--tools', './tools.ts'];
  for (const args of [
    ['tools', 'call', 'flood', '{}', ...added],
    [...added, 'return a flood of text'],
  ]) {
    const terminal = inPseudoTerminal(args, { cwd });
    expect(await terminal.ended).toBe(0);
    const shown = plain(terminal.raw());
    expect(shown.length).toBeLessThan(60_000);
    expect(shown.replaceAll('\n', ' ')).toMatch(
      /cut: the first 49,999 of 300,\d+ characters are shown; add > FILE or \| less for the rest/,
    );
    const piped = await promptHere(args, { cwd });
    expect(piped.stdout.length).toBeGreaterThan(300_000);
    expect(piped.stdout).toMatch(/\[… \d+ of 5242880 characters left out …\]/);
  }
});

test('a note on a terminal is broken between words', async () => {
  verifies('cli.look.notes');
  const terminal = inPseudoTerminal(['what is 15% of 240'], { cwd: workspace() });
  expect(await terminal.ended).toBe(0);
  expect(plain(terminal.raw())).toContain('descriptions. For a real\nmodel set OPENAI_API_KEY');
  expect(wrapWords('  - key of x   is not there yet', 12)).toEqual(['  - key of x', 'is not there', 'yet']);
  expect(wrapWords('abcdefghij k', 4)).toEqual(['abcdefghij', 'k']);
});

test('the built program colours code on a terminal', async () => {
  verifies('cli.look.code');
  const text = '```ts\nconst answer = 42; // yes\n```\n';
  const server = await startWireServer({ replies: [{ text }] });
  const env = { NODE_OPTIONS: `--import=${new URL('fixtures/highlighter.ts', import.meta.url).href}` };
  const terminal = inPseudoTerminal(['--base-url', server.baseUrl, '-m', 'm', 'hi'], { cwd: workspace(), env });
  expect(await terminal.ended).toBe(0);
  await server.close();
  expect(terminal.raw()).toContain('\u001B[35mconst\u001B[0m');
});
