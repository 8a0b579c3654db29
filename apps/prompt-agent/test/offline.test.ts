import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { link, promptHere, workspace } from './program.ts';

test('the five jobs are done without a model, the answer alone on stdout', async () => {
  verifies('cli.run.output', 'cli.run.tools', 'cli.wiring');
  const cwd = workspace();
  const answers = await Promise.all(
    [
      'list the files in src',
      'read package.json and tell me the name',
      'what is 0.1 + 0.2?',
      'where is answer mentioned in src?',
      'what time is it in Tokyo?',
      'what is in notes.md',
    ].map((text) => promptHere([text], { cwd })),
  );
  expect(answers.map(({ code }) => code)).toEqual([0, 0, 0, 0, 0, 0]);
  const [list, name, sum, search, time, notes] = answers.map(({ stdout }) => stdout);
  expect(list).toBe('deep/\nindex.ts (26 bytes)\n(1 file, 1 folder, whose content is not counted)\n');
  expect(name).toBe('demo\n');
  expect(sum).toBe('0.3\n');
  expect(search).toBe(
    "src/deep/other.ts:1: import { answer } from '../index.ts';\nsrc/index.ts:1: export const answer = 42;\n",
  );
  expect(time).toMatch(/^\w+day, \d{4}-\d{2}-\d{2}, \d{2}:\d{2}:\d{2} \(Asia\/Tokyo, UTC\+09:00\)\n$/);
  expect(notes).toBe('# Notes\nsecond line\n');
});

test('what it is, how to get a model, and each tool call stand on stderr', async () => {
  verifies('cli.run.output');
  const { stderr } = await promptHere(['list the files in src and tell me the time in Tokyo']);
  const lines = stderr.trimEnd().split('\n').toSorted();
  expect(lines).toHaveLength(3);
  expect(lines[0]).toMatch(/^offline: no language model.*OPENAI_API_KEY/);
  expect(lines[1]).toMatch(/^tool: datetime \{"timeZone":"Asia\/Tokyo"\} \d+ ms ok$/);
  expect(lines[2]).toMatch(/^tool: list_directory \{"path":"src"\} \d+ ms ok$/);
});

test('what offline cannot do exits 3, says so, and prints nothing on stdout', async () => {
  verifies('cli.exit');
  for (const text of ['write me a poem about time', 'translate package.json into French']) {
    const { code, stdout, stderr } = await promptHere([text]);
    expect({ code, stdout }).toEqual({ code: 3, stdout: '' });
    expect(stderr).toContain("Offline can't do this");
    expect(stderr).toContain('"Read package.json"');
    expect(stderr).toContain('ANTHROPIC_API_KEY');
  }
});

test('where every call failed it exits 1, says why in plain words on stderr, and prints nothing on stdout', async () => {
  verifies('cli.exit', 'cli.run.output');
  for (const [text, why] of [
    ['read nope.txt', 'The tool read_file failed: There is no "nope.txt" in the workspace.'],
    ['10/0', 'The tool calculate failed: '],
    ['list the files in /etc', '"/etc" is an absolute path'],
    ['read ../../etc/passwd and list ../src', 'leaves the workspace'],
  ] as const) {
    const { code, stdout, stderr } = await promptHere([text]);
    expect({ text, code, stdout }).toEqual({ text, code: 1, stdout: '' });
    expect(stderr).toContain(why);
    expect(stderr.slice(stderr.indexOf('tool: '))).not.toMatch(/[A-Z]{3,}_[A-Z]/);
  }
  const json = await promptHere(['--json', 'read nope.txt']);
  expect(json.code).toBe(1);
  expect(JSON.parse(json.stdout)).toMatchObject({ reason: 'error', error: { code: 'TOOL_FAILED' } });
});

test('where one of several calls failed it exits 1, and what the others gave stands on stderr beside what failed', async () => {
  verifies('cli.exit', 'offline.partial');
  for (const text of ['read nope.txt and read notes.md', 'read notes.md and nope.txt']) {
    const { code, stdout, stderr } = await promptHere([text]);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('The tool read_file failed: There is no "nope.txt" in the workspace.');
    expect(stderr).toContain('second line');
  }
});

test('no path leads outside the workspace: not by .., not absolute, not by a link', async () => {
  verifies('cli.run.tools');
  const outside = workspace({ 'secret.txt': 'hidden' });
  const cwd = workspace();
  link(cwd, 'file-link.txt', `${outside}/secret.txt`);
  link(cwd, 'folder-link', outside);
  for (const text of [
    `read ${outside}/secret.txt`,
    'read ../secret.txt',
    'read file-link.txt',
    'read folder-link/secret.txt',
    'list the folder folder-link/',
    "grep 'hidden' folder-link/secret.txt",
  ]) {
    const { code, stdout, stderr } = await promptHere([text], { cwd });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/failed: .*(?:absolute path|leaves the workspace|leads outside the workspace)/);
    expect(stderr).not.toContain('hidden\n');
  }
  expect((await promptHere(["grep 'hidden'"], { cwd })).stdout).toContain('No line contains');
});

test('--workspace is the folder that the tools see; one that is none exits 2', async () => {
  const other = workspace({ 'only.txt': 'here' });
  expect((await promptHere(['--workspace', other, 'read only.txt'])).stdout).toBe('here\n');
  const { code, stderr } = await promptHere(['--workspace', `${other}/none`, 'ls']);
  expect(code).toBe(2);
  expect(stderr).toContain('--workspace');
});

test('control characters of a file do not reach the terminal', async () => {
  verifies('cli.safe');
  const cwd = workspace({ 'evil.txt': 'a\u001b[31mred\u009b0m\u0007\u202eb\r\nend', 'x\u001b[2J.txt': '' });
  const { stdout } = await promptHere(['read evil.txt'], { cwd });
  expect(stdout).toBe('a\\x1b[31mred\\x9b0m\\x07\\u202eb\nend\n');
  const json = (await promptHere(['--json', 'read evil.txt'], { cwd })).stdout;
  expect(json).not.toContain('\u009b');
  expect(JSON.parse(json)).toMatchObject({ answer: 'a\u001b[31mred\u009b0m\u0007\u202eb\r\nend' });
  expect((await promptHere(['list files'], { cwd })).stdout).not.toContain('\u001b');
});

test('--json prints one versioned object and nothing else', async () => {
  verifies('cli.json');
  const { code, stdout } = await promptHere(['--json', 'what is 6 times 7?']);
  expect(code).toBe(0);
  expect(stdout.trimEnd().split('\n')).toHaveLength(1);
  expect(JSON.parse(stdout)).toEqual({
    version: 1,
    exitCode: 0,
    reason: 'done',
    answer: '42',
    provider: 'offline',
    model: 'offline',
    turns: 2,
    usage: { inputTokens: 0, outputTokens: 0 },
    toolCalls: [
      {
        name: 'calculate',
        arguments: '{"expression":"6 * 7"}',
        durationMs: expect.any(Number),
        result: { forLLM: '42' },
      },
    ],
  });
  const refused = await promptHere(['--json', 'write me a poem']);
  expect(refused.code).toBe(3);
  expect(JSON.parse(refused.stdout)).toMatchObject({
    version: 1,
    reason: 'error',
    error: { code: 'PROVIDER_REFUSED' },
  });
});

test('--json-lines prints each event as a line of JSON, run-end last', async () => {
  verifies('cli.json');
  const { stdout } = await promptHere(['--json-lines', 'what is 6 times 7?']);
  const types = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { type: string }).type);
  expect(types.slice(0, 3)).toEqual(['start', 'tools', 'turn-start']);
  expect(types).toContain('tool-end');
  expect(types.filter((type) => type === 'run-end')).toHaveLength(1);
  expect(types.at(-1)).toBe('run-end');
});

test('--verbose tells turns and results, --max-turns 1 ends before the answer with exit 5', async () => {
  const told = await promptHere(['--verbose', 'what is 6 times 7?']);
  expect(told.stderr).toMatch(/turn: 1, 8 tools[\s\S]*result: 42[\s\S]*turn: 2/);
  const { code, stdout, stderr } = await promptHere(['--max-turns=1', 'what is 6 times 7?']);
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toContain('reached its limit (turns)');
});

test.each([
  ['how many files are in src?', '(1 file, 1 folder, whose content is not counted)'],
  ['which files are there?', '(2 files, 1 folder, whose content is not counted)'],
  ['what files are here', '(2 files, 1 folder, whose content is not counted)'],
  ['show me src', 'index.ts (26 bytes)'],
  ['search for the word answer in src', 'src/index.ts:1: export const answer = 42;'],
  ['search for second line', 'notes.md:2: second line'],
  ['show me the license', 'MIT'],
  ['time in UTC+5', 'UTC+05:00'],
])('%s: an obvious request is answered', async (text, answer) => {
  const cwd = workspace({
    LICENSE: 'MIT\n',
    'notes.md': '# Notes\nsecond line\n',
    'src/index.ts': 'export const answer = 42;\n',
    'src/deep/a.ts': '',
  });
  const { code, stdout } = await promptHere([text], { cwd, env: { PROMPT_AGENT_SESSIONS: 'off' } });
  expect(code).toBe(0);
  expect(stdout).toContain(answer);
});

test.each([
  'what is the name of this project',
  'is there a file called foo.ts in src',
  'how many lines of text are in notes.md?',
  'how many files mention second',
  'count to ten',
])('%s: what would be half an answer is refused', async (text) => {
  expect(await promptHere([text])).toMatchObject({ code: 3, stdout: '' });
});

test.each([
  ['read pakage.json', 'Did you mean "package.json"?'],
  ['read package.jsn', 'Did you mean "package.json"?'],
  ['list the files in scr', 'Did you mean "src"?'],
  ['read src/deeep/other.ts', 'Did you mean "src/deep/other.ts"?'],
])('a slip in a path is answered with the nearest one: %s', async (text, hint) => {
  expect((await promptHere([text])).stderr).toContain(hint);
});

test('.git and .env files are not opened, by no tool and by no link', async () => {
  const cwd = workspace({ '.git/config': 'token=abc', '.env': 'KEY=abc', 'sub/.env.local': 'KEY=abc', 'a.txt': 'x' });
  link(cwd, 'innocent', '.git');
  for (const text of [
    'read .git/config',
    'read .env',
    'cat sub/.env.local',
    'how many lines are in .env',
    'first line of .git/config',
    'read innocent/config',
    'list the files in .git/',
    "grep 'abc' .git",
    "search .git for 'abc'",
  ]) {
    const { code, stdout, stderr } = await promptHere([text], { cwd });
    expect({ text, code, stdout }).toEqual({ text, code: 1, stdout: '' });
    expect(stderr).toContain('may hold credentials');
  }
  expect((await promptHere(["grep 'abc'"], { cwd })).stdout).toContain('No line contains');
});

test('flags for a model warn where there is none', async () => {
  const { code, stdout, stderr } = await promptHere(['--provider', 'offline', '--model', 'x', '2+2']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: '4\n' });
  expect(stderr).toContain('warning: --model has no effect: offline uses no model');
  expect((await promptHere(['2+2'])).stderr).not.toContain('warning');
});
