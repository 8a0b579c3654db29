import { createServer } from 'node:http';
import { join } from 'node:path';
import { startWireServer, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { promptHere, waitPatiently, workspace } from './program.ts';

const FLOOD = `
import { bindTool } from '@kernel/tools';
const parameters = { type: 'object', properties: {} };
const line = 'x'.repeat(79) + '\\n';
export default [
  bindTool({ name: 'flood', description: 'Returns a flood of text.', effect: 'read', parameters }, () => line.repeat(65536)),
];
`;

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

test('a session is called what was typed, not what came with it', async () => {
  verifies('cli.sessions.title');
  const cwd = workspace();
  const piped = await promptHere(['-f', 'notes.md', 'first line'], { cwd, input: '' });
  expect(piped.stderr).not.toContain('1 files');
  const { stdout } = await promptHere(['sessions', 'list', '--json'], { cwd });
  expect(JSON.parse(stdout)).toMatchObject({ sessions: [{ title: 'first line' }] });
});
