import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { withoutComments } from '../../src/mcp-servers/json-with-comments.ts';
import { type Outcome, promptHere, workspace } from '../program.ts';

const OWN = '.config/prompt-agent/mcp.json';

function add(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  return promptHere(['mcp', 'add', '--from', ...args], { cwd });
}

function servers(cwd: string, file = OWN): unknown {
  return (JSON.parse(readFileSync(join(cwd, file), 'utf8')) as { mcpServers: unknown }).mcpServers;
}

const VSCODE = `{
  // What VS Code asks for.
  "inputs": [
    { "type": "promptString", "id": "github-token", "description": "Token", "password": true, "default": "a-secret" },
    { "type": "promptString", "id": "region", "default": "eu" }, /* a comment, with // and "quotes" */
  ],
  "servers": {
    "github": { "type": "http", "url": "https://api.example.com/mcp/", "headers": { "Authorization": "Bearer \${input:github-token}" } },
    "files": { "command": "npx", "args": ["-y", "some-server", "\${workspaceFolder}/src", "\${input:region}"], "env": { "A": "\${env:HOME_OF_A}" }, "dev": { "watch": "x" } },
    "old": { "type": "sse", "url": "https://old.example.com/sse" },
    "asks": { "command": "\${command:pick}" },
    "from-file": { "command": "x", "envFile": ".env" },
    "off": { "command": "x", "disabled": true },
    "bad name": { "command": "x" },
  },
}`;

test("VS Code's file is read with its comments: inputs become variables, the folder of the workspace its path, and what cannot be used is left out", async () => {
  verifies('cli.mcp.import', 'cli.mcp.secrets');
  const cwd = workspace({ '.vscode/mcp.json': VSCODE });
  const { code, stdout, stderr } = await add(cwd, 'vscode', '--force');
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
  expect(servers(cwd)).toEqual({
    github: {
      type: 'http',
      url: 'https://api.example.com/mcp/',
      headers: { Authorization: 'Bearer ${GITHUB_TOKEN}' },
    },
    files: {
      command: 'npx',
      args: ['-y', 'some-server', `${cwd}/src`, '${REGION:-eu}'],
      env: { A: '${env:HOME_OF_A}' },
    },
  });
  for (const said of [
    'left out: MCP server "old": "type" must be',
    'left out: "asks" uses ${command:pick}',
    'left out: MCP server "from-file": "envFile" is not supported',
    'left out: "off" is disabled there',
    'left out: "bad name" cannot be a name here',
    'note: set GITHUB_TOKEN before you use them',
    'gets from the environment: REGION, HOME_OF_A',
  ])
    expect(stderr).toContain(said);
  expect(stderr).not.toContain('a-secret');
});

test('the files of Claude Desktop, Cursor and of a project are found where those programs have them', async () => {
  verifies('cli.mcp.import');
  const file = (name: string): string => JSON.stringify({ mcpServers: { [name]: { command: 'x' } }, other: {} });
  const cwd = workspace({
    '.config/Claude/claude_desktop_config.json': file('desktop'),
    'Library/Application Support/Claude/claude_desktop_config.json': file('desktop'),
    '.cursor/mcp.json': file('cursor'),
    'team/.mcp.json': file('team'),
  });
  for (const source of ['claude-desktop', 'cursor', 'team/.mcp.json'])
    expect(await add(cwd, source, '--force')).toMatchObject({ code: 0 });
  expect(Object.keys(servers(cwd) as object)).toEqual(['desktop', 'cursor', 'team']);
  const again = await add(cwd, 'cursor', '--force');
  expect(again.code).toBe(0);
  expect(again.stderr).toContain('cursor is there already');
  expect((await add(workspace({}), 'vscode')).stderr).toContain('there is none of ');
});

test('inputs that would be one variable, and what is nested without end, are left out; paths are those of the folder of the file', async () => {
  verifies('cli.mcp.import');
  const deep = `${'{"a":'.repeat(5000)}1${'}'.repeat(5000)}`;
  const cwd = workspace({
    'team/.vscode/mcp.json': `{
      "inputs": [{ "id": "a-key", "password": true }, { "id": "a_key", "default": "x" }],
      "servers": {
        "key": { "command": "x", "args": ["\${input:a-key}"] },
        "deep": { "command": "x", "dev": ${deep} },
        "bin": { "command": "./bin/x", "cwd": "sub" }
      }
    }`,
  });
  const { stderr } = await add(cwd, 'team/.vscode/mcp.json', '--force');
  expect(stderr).toContain('another input of the file would be the variable A_KEY, too');
  expect(stderr).toContain('nested deeper than 100 levels');
  expect(servers(cwd)).toEqual({ bin: { command: join(cwd, 'team/sub/bin/x'), cwd: join(cwd, 'team/sub') } });
});

test('without a terminal nothing is added unasked, and what would be added is shown without secrets', async () => {
  verifies('cli.mcp.import', 'cli.mcp.secrets');
  const secret = 'a-literal-secret-1234';
  const cwd = workspace({
    'theirs.json': JSON.stringify({
      mcpServers: {
        a: { command: 'run', args: ['x'], env: { KEY: secret } },
        b: { command: 'run', args: ['\u001B[2Jx'] },
      },
    }),
  });
  const { code, stderr } = await add(cwd, 'theirs.json');
  expect(code).toBe(2);
  expect(stderr).toContain('there is no terminal to ask on');
  expect(stderr).toContain('variable: KEY (set)');
  expect(stderr).not.toContain(secret);
  expect(stderr).not.toContain('\u001B');
  expect(existsSync(join(cwd, OWN))).toBe(false);
});

test.each([
  ['{', 'is not valid JSON'],
  ['[]', 'has neither "mcpServers" nor "servers"'],
  ['{"mcpServers":[]}', 'has neither "mcpServers" nor "servers"'],
  ['{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}', 'has "a" more than once'],
  ['{"mcpServers":{"a":{"command":7}}}', 'no server that can be used'],
  ['{"mcpServers":{"a":null}}', 'no server that can be used'],
  ['{"mcpServers":{"__proto__":{"command":"x"}}}', 'no server that can be used'],
  ['{"servers":{"a":{"command":"${input:x}"}},"inputs":"none"}', 'no server that can be used'],
  [`{"a":"${'x'.repeat(5_000_000)}"}`, 'bytes; at most'],
  [
    JSON.stringify({
      mcpServers: Object.fromEntries([...Array(201).keys()].map((at) => [`s${at}`, { command: 'x' }])),
    }),
    'has 201 servers',
  ],
  ['/*', 'is not valid JSON'],
])('a file that cannot be meant (%#) is refused with what is wrong, and nothing is added', async (text, said) => {
  verifies('cli.mcp.import');
  const cwd = workspace({ 'theirs.json': text });
  const { code, stderr } = await add(cwd, 'theirs.json', '--force');
  expect(code).toBe(2);
  expect(stderr).toContain(said);
  expect(existsSync(join(cwd, OWN))).toBe(false);
});

test("a name that clashes is refused as a whole, and an import for a project writes the project's file alone", async () => {
  verifies('cli.mcp.import');
  const theirs = '{"mcpServers":{"b":{"command":"${workspaceFolder}/b"},"a":{"command":"other"}}}';
  const cwd = workspace({ 'theirs.json': theirs, [OWN]: '{"mcpServers":{"a":{"command":"x"}}}' });
  expect((await add(cwd, 'theirs.json', '--force')).stderr).toContain('there is a server "a" already');
  expect(servers(cwd)).toEqual({ a: { command: 'x' } });
  expect(await add(cwd, 'theirs.json', '--force', '--scope', 'project')).toMatchObject({ code: 0 });
  expect(servers(cwd, '.mcp.json')).toEqual({ b: { command: './b' }, a: { command: 'other' } });
});

test.each([
  ['{"a":1,} // end', '{"a":1 }       '],
  ['["//", "/*", "\\"//"]', '["//", "/*", "\\"//"]'],
  ['[1, /* x */ ]', '[1          ]'],
  ['"open', '"open'],
  ['[1,\n// x\n]', '[1 \n    \n]'],
])('%j is JSON without its comments, at the same places', (text, plain) => {
  verifies('cli.mcp.import');
  expect(withoutComments(text)).toBe(plain);
});

test.each([
  [
    'a map of servers alone',
    { a: { command: 'npx', args: ['-y', 'x'] } },
    { a: { command: 'npx', args: ['-y', 'x'] } },
  ],
  [
    "opencode's",
    {
      mcp: {
        a: { type: 'local', command: ['npx', '-y', 'x'], environment: { PORT: 8080 }, enabled: true },
        b: { type: 'remote', url: 'https://b.example.com/mcp' },
      },
    },
    {
      a: { type: 'stdio', command: 'npx', args: ['-y', 'x'], env: { PORT: '8080' } },
      b: { type: 'http', url: 'https://b.example.com/mcp' },
    },
  ],
  [
    "Gemini CLI's, with numbers in the environment",
    { mcpServers: { a: { httpUrl: 'https://a.example.com/mcp' }, b: { command: 'x', env: { N: 1, ON: true } } } },
    { a: { type: 'http', url: 'https://a.example.com/mcp' }, b: { command: 'x', env: { N: '1', ON: 'true' } } },
  ],
])('a file is read whole: %s', async (_, file, expected) => {
  verifies('cli.mcp.import');
  const cwd = workspace({ 'theirs.json': JSON.stringify(file) });
  const { code, stderr } = await add(cwd, 'theirs.json', '--force');
  expect({ code, left: stderr.includes('left out') }).toEqual({ code: 0, left: false });
  expect(servers(cwd)).toEqual(expected);
});
