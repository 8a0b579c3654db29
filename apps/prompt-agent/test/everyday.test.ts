import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { wrapWords } from '../src/output/output.ts';
import { environmentAt, type Outcome, promptHere, waitPatiently, workspace } from './program.ts';
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

/** An Ollama on loopback that only lists its models. */
async function serveModels(models: readonly string[]) {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ object: 'list', data: models.map((id) => ({ id })) }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('no port');
  return {
    address: `127.0.0.1:${bound.port}`,
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
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

test('an absolute path is taken by the file tools inside the workspace, and refused outside of it', async () => {
  verifies('cli.files.absolute');
  const cwd = workspace();
  const call = async (name: string, given: object) => {
    const { code, stdout, stderr } = await promptHere(['tools', 'call', name, JSON.stringify(given)], { cwd });
    return { code, text: stdout + stderr };
  };
  expect(await call('read_file', { path: join(cwd, 'notes.md') })).toMatchObject({
    code: 0,
    text: '# Notes\nsecond line\n',
  });
  expect(await call('list_directory', { path: join(cwd, 'src') })).toMatchObject({
    code: 0,
    text: expect.stringContaining('index.ts'),
  });
  expect(await call('search_text', { query: 'answer', path: join(cwd, 'src') })).toMatchObject({
    code: 0,
    text: expect.stringContaining('index.ts'),
  });
  expect(await call('read_file', { path: '/etc/passwd' })).toMatchObject({
    code: 1,
    text: expect.stringContaining('outside'),
  });
  const edit = { path: join(cwd, 'notes.md'), edits: [{ old_text: 'second', new_text: 'last' }] };
  const edited = await promptHere(
    ['tools', 'call', '--bundle', 'code_agent', '--yes', 'write', 'edit_file', JSON.stringify(edit)],
    { cwd },
  );
  expect(edited).toMatchObject({ code: 0 });
  expect(await promptHere([`read ${join(cwd, 'notes.md')}`], { cwd })).toMatchObject({
    code: 0,
    stdout: '# Notes\nlast line\n',
  });
});

test('a token of digits is in no output, and JSON stays JSON', async () => {
  verifies('cli.safe.digits');
  const token = '12345';
  const usage = { inputTokens: 12345, outputTokens: 7 };
  const replies = () => ({ text: `port 12345, and in 9${token}9`, pieces: 7, usage });
  const server = await startWireServer({ replies });
  const cwd = workspace();
  const base = ['--base-url', server.baseUrl, '-m', 'm', '--verbose', '--token', token];
  for (const flags of [[], ['--stream'], ['--json'], ['--json-lines'], ['--protocol', 'chat', '--json']]) {
    const { code, stdout, stderr } = await promptHere([...base, ...flags, 'hi'], { cwd });
    expect({ flags, code }).toEqual({ flags, code: 0 });
    expect(stdout + stderr.replaceAll(server.baseUrl.replace('/v1', ''), '')).not.toContain(token);
    expect(stdout).toContain('[redacted]');
    const lines = flags.includes('--json-lines') ? stdout.trim().split('\n') : [];
    const objects = flags.includes('--json') ? [stdout] : lines;
    expect(objects.map((text) => JSON.parse(text) as unknown)).toHaveLength(objects.length);
    expect(objects.at(-1) ?? '"inputTokens":"[redacted]"').toContain('"inputTokens":"[redacted]"');
  }
  await server.close();
  // Numbers that are not the token stay: the key of this run is another.
  const other = await promptHere(['--token', '98765', '--provider', 'offline', '12345 + 1'], { cwd });
  expect(other).toMatchObject({ code: 0, stdout: '12346\n' });
  for (const args of [
    ['--token', token],
    ['--token', token, '--no-such'],
    ['--token', token, 'models', 'x'],
    ['--token', token, '--base-url', `ftp://${token}`, 'hi'],
  ]) {
    const { code, stdout, stderr } = await promptHere(args, { cwd });
    expect({ args, code }).toEqual({ args, code: 2 });
    expect(stdout + stderr).not.toContain(token);
  }
});

test('a module of tools imports the packages that come with the program, wherever it lies', async () => {
  verifies('cli.tools.provided');
  const cwd = workspace({
    'tools.ts': FLOOD.replace(
      'export',
      "import type { Tool } from '@kernel/protocol';\nimport '@kernel/toolbox/permissions';\nexport",
    ),
    'lost.ts': "import 'no-such-package';",
    'own.mjs': `import { mark } from '@kernel/tools';\n${FLOOD.replace("import { bindTool } from '@kernel/tools';", 'const bindTool = (tool, handler) => ({ tool: { ...tool, name: mark }, handler, input: {} });')}`,
    'node_modules/@kernel/tools/package.json': '{ "name": "@kernel/tools", "type": "module", "exports": "./index.js" }',
    'node_modules/@kernel/tools/index.js': "export const mark = 'from_the_project';",
  });
  const alone = workspace({ 'tools.ts': FLOOD });
  expect(
    await promptHere(['tools', 'show', 'flood', '--execute', '--tools', './tools.ts'], { cwd: alone }),
  ).toMatchObject({
    code: 0,
  });
  const lost = await promptHere(['tools', 'list', '--execute', '--tools', './lost.ts'], { cwd });
  expect(lost).toMatchObject({ code: 2, stderr: expect.stringContaining("Cannot find package 'no-such-package'") });
  // What is installed beside the module goes first.
  const own = await promptHere(['tools', 'list', '--execute', '--tools', './own.mjs'], { cwd });
  expect(own.stdout).toContain('from_the_project');
});

test.each([
  [
    'does not answer',
    undefined,
    8,
    /^prompt-agent: Ollama at http:\/\/127\.0\.0\.1:9 did not answer\.\nStart it with: ollama serve\./,
  ],
  [
    'has no model',
    [],
    2,
    /^prompt-agent: Ollama at http:\/\/127\.0\.0\.1:\d+ has no model: load one with ollama pull NAME/,
  ],
])('where Ollama %s, the error says its address and what to do', async (_, models, exit, said) => {
  verifies('cli.ollama.silent');
  waitPatiently();
  const server = models === undefined ? undefined : await serveModels(models);
  const { code, stdout, stderr } = await promptHere(['--provider', 'ollama', 'hi'], {
    env: { OLLAMA_HOST: server?.address ?? '127.0.0.1:9' },
  });
  await server?.close();
  expect({ code, stdout }).toEqual({ code: exit, stdout: '' });
  expect(stderr).toMatch(said);
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

test('without a prompt the error names the help and the chat', async () => {
  verifies('cli.ask.missing');
  const { code, stderr } = await promptHere([]);
  expect(code).toBe(2);
  expect(stderr).toContain('See prompt-agent --help; prompt-agent chat starts a conversation.');
});

test('the name of a group of commands lists them with --help', async () => {
  verifies('cli.help.group');
  const { code, stdout, stderr } = await promptHere(['tools', '--help']);
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toMatch(/^Usage: prompt-agent tools COMMAND \[options\]\n\n {2}list {7}list the tools on offer/);
  expect(stdout).toContain('  call       run a tool with arguments as JSON');
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
  const env = { NODE_OPTIONS: `--import=${fileURLToPath(new URL('fixtures/highlighter.ts', import.meta.url))}` };
  const terminal = inPseudoTerminal(['--base-url', server.baseUrl, '-m', 'm', 'hi'], { cwd: workspace(), env });
  expect(await terminal.ended).toBe(0);
  await server.close();
  expect(terminal.raw()).toContain('\u001B[35mconst\u001B[0m');
});

test('a session is called what was typed, not what came with it', async () => {
  verifies('cli.sessions.title');
  const cwd = workspace();
  const piped = await promptHere(['-f', 'notes.md', 'first line'], { cwd, input: '' });
  expect(piped.stderr).not.toContain('1 files');
  const { stdout } = await promptHere(['sessions', 'list', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ title: 'first line' }] });
});
