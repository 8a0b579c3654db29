import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { link, type Outcome, promptHere, workspace } from '../program.ts';
import { LIBRARY } from './library-server.ts';

const OWN = '.config/prompt-agent/mcp.json';

function mcp(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  return promptHere(['mcp', ...args], { cwd });
}

function servers(cwd: string, file = OWN): unknown {
  return (JSON.parse(readFileSync(join(cwd, file), 'utf8')) as { mcpServers: unknown }).mcpServers;
}

test('secrets are shown as set, wherever they are, and a literal one is warned about by its place', async () => {
  verifies('cli.mcp.secrets');
  const cwd = workspace({});
  const secret = 'a-very-literal-secret-1';
  const outcomes = [
    await mcp(
      cwd,
      'add',
      'a',
      'https://a.example.com/mcp?api_key=' + secret,
      '--header',
      `Authorization: Bearer ${secret}`,
    ),
    await mcp(
      cwd,
      'add',
      'b',
      '--env',
      `API_KEY=${secret}`,
      '--',
      'npx',
      'x',
      `--token=${secret}`,
      '--password',
      secret,
    ),
    await mcp(
      cwd,
      'add',
      'c',
      '--',
      'npx',
      'mcp-remote',
      'https://c.example.com',
      '--header',
      `Authorization: Bearer ${secret}`,
    ),
    await mcp(cwd, 'add', 'd', 'https://d.example.com/mcp', '--header', 'Authorization: Bearer ${D_TOKEN}'),
  ];
  const warnings = outcomes.map(({ stderr }) => /written out in ([^.]*\.?[^.]*)\. A var/.exec(stderr)?.[1]);
  expect(warnings).toEqual(['headers.Authorization, url', 'env.API_KEY, args[1], args[3]', 'args[3]', undefined]);
  for (const name of ['a', 'b', 'c', 'd'])
    for (const json of [[], ['--json']]) outcomes.push(await mcp(cwd, 'show', name, ...json));
  outcomes.push(await mcp(cwd, 'list'), await mcp(cwd, 'list', '--json'));
  for (const { stdout, stderr, code } of outcomes) {
    expect(code).toBe(0);
    expect(stdout + stderr).not.toContain(secret);
  }
  expect((await mcp(cwd, 'show', 'd')).stdout).toContain('header: Authorization from Bearer ${D_TOKEN}');
});

test.each([
  [['add', 'x'], 'mcp add needs a name, and an address or a command'],
  [['add'], 'mcp add needs a name'],
  [['add', '__proto__', 'https://a.example.com'], 'cannot be the name of a server'],
  [['add', 'a:b', 'https://a.example.com'], 'cannot be the name of a server'],
  [['add', 'a', 'https://user:pw@a.example.com'], 'user name or password'],
  [['add', 'a', 'https://a.example.com', '--env', 'A=b'], '--env is for a command'],
  [['add', 'a', 'ws://a.example.com/mcp?key=x'], '"ws://a.example.com/mcp" is no address of MCP'],
  [
    ['add', 'a', 'https://a.example.com', '--header', 'A: b\nC: d'],
    '"headers" contains a name or value that HTTP does not allow',
  ],
  [['add', 'a', '--header', 'A: b', '--', 'npx'], '--header is for an address'],
  [['add', 'a', 'https://a.example.com', '--header', 'no-value'], '--header must be NAME:VALUE'],
  [['add', 'a', '--env', '=x', '--', 'npx'], '--env must be NAME=VALUE'],
  [['add', 'a', 'https://a.example.com', '--scope', 'world'], '--scope "world" is unknown'],
  [['add', '--from', 'none.json', 'a'], '--from brings its own names'],
  [['show', 'nothing'], 'there is no server "nothing". Add one'],
  [['login', 'nothing'], 'there is no server "nothing"'],
])('mcp %j exits 2 with a line that says what is wrong', async (args, said) => {
  verifies('cli.mcp.add');
  const { code, stdout, stderr } = await mcp(workspace({}), ...args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(said);
});

test('a name that is taken is not overwritten, and a file that is damaged stays as it is', async () => {
  verifies('cli.mcp.add');
  const cwd = workspace({ [OWN]: '{"mcpServers":{"a":{"command":"one"}},"other":1}' });
  expect((await mcp(cwd, 'add', 'a', '--', 'two')).stderr).toContain('there is a server "a" already');
  expect(await mcp(cwd, 'add', 'b', '--', 'two')).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(cwd, OWN), 'utf8'))).toEqual({
    mcpServers: { a: { command: 'one' }, b: { command: 'two' } },
    other: 1,
  });
  for (const [damaged, said] of [
    ['{"mcpServers":', 'not valid JSON'],
    ['[]', 'must be an object'],
    ['{"mcpServers":{"a":{"command":1}}}', 'must be text'],
    ['{"mcpServers":{"a":{"command":"x"},"a":{"command":"y"}}}', 'has "a" more than once'],
  ] as const) {
    const folder = workspace({ [OWN]: damaged });
    const { code, stderr } = await mcp(folder, 'add', 'c', '--', 'x');
    expect(code).toBe(2);
    expect(stderr).toContain(said);
    expect(readFileSync(join(folder, OWN), 'utf8')).toBe(damaged);
  }
});

test("in the user's file a program has its whole path: another folder cannot bring its own", async () => {
  verifies('cli.mcp.add');
  const cwd = workspace({ 'server.mjs': LIBRARY, 'dir/x': '' });
  await mcp(cwd, 'add', 'own', '--', './bin/server', '.', 'dir', 'none.mjs');
  const { stderr } = await mcp(cwd, 'add', 'script', '--', 'node', 'server.mjs');
  expect(stderr).toContain(`Give its whole path: ${cwd}/server.mjs`);
  await mcp(cwd, 'add', 'home', '--', '${HOME}/bin/server');
  expect(servers(cwd)).toEqual({
    own: { command: join(cwd, 'bin/server'), args: ['.', 'dir', 'none.mjs'] },
    script: { command: 'node', args: ['server.mjs'] },
    home: { command: '${HOME}/bin/server' },
  });
  await mcp(cwd, 'add', 'own', '--scope', 'project', '--', './bin/server');
  expect(servers(cwd, '.mcp.json')).toEqual({ own: { command: './bin/server' } });
});

test('a default of a variable that may be a secret is shown as set and warned about', async () => {
  verifies('cli.mcp.secrets');
  const cwd = workspace({});
  const secret = 'plain-looking-secret';
  const outcomes = [
    await mcp(cwd, 'add', 'a', `https://a.example.com/\${TOKEN:-${secret}}/mcp`, '--header', `X-Key: \${K:-${secret}}`),
    await mcp(
      cwd,
      'add',
      'b',
      '--',
      'run',
      '--password',
      `\${P:-${secret}}`,
      '--in',
      '${REGION:-eu-west-1}',
      '--token=${T}',
    ),
  ];
  expect(outcomes.map(({ stderr }) => /written out in (.*?)\. A var/.exec(stderr)?.[1])).toEqual([
    'headers.X-Key, url',
    'args[1]',
  ]);
  for (const name of ['a', 'b']) outcomes.push(await mcp(cwd, 'show', name), await mcp(cwd, 'show', name, '--json'));
  for (const { stdout, stderr } of outcomes) expect(stdout + stderr).not.toContain(secret);
  expect((await mcp(cwd, 'show', 'b')).stdout).toContain("'${P:-(set)}' --in '${REGION:-eu-west-1}' '--token=${T}'");
});

test('a file that cannot be written stays as it is, and the message says why', async () => {
  verifies('cli.mcp.add');
  // A file where the folder would have to be: also root cannot write there.
  const cwd = workspace({ '.config/prompt-agent': 'x' });
  const { code, stderr } = await mcp(cwd, 'add', 'a', '--', 'x');
  expect(code).toBe(2);
  expect(stderr).toContain('.config/prompt-agent/mcp.json');
  const locked = workspace({ '.local/state/prompt-agent': 'x', [OWN]: '{"mcpServers":{}}' });
  const refused = await mcp(locked, 'add', 'a', '--', 'x');
  expect(refused.code).toBe(2);
  expect(refused.stderr).toMatch(/mcp\.json stays as it is: .*\.local\/state/);
  expect(servers(locked)).toEqual({});
});

test("a project's file that is a link is neither read nor changed; the user's own may be one, and stays one", async () => {
  verifies('cli.mcp.atomic');
  const elsewhere = '{"mcpServers":{"secret":{"command":"x"}}}';
  const cwd = workspace({ 'elsewhere.json': elsewhere, 'own.json': elsewhere, '.config/prompt-agent/x': '' });
  link(cwd, '.mcp.json', join(cwd, 'elsewhere.json'));
  for (const args of [['add', 'a', '--scope', 'project', '--', 'x'], ['list']]) {
    const { code, stderr, stdout } = await mcp(cwd, ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('is a link to elsewhere');
  }
  expect(readFileSync(join(cwd, 'elsewhere.json'), 'utf8')).toBe(elsewhere);
  const other = workspace({ 'own.json': elsewhere, '.config/prompt-agent/x': '' });
  link(other, OWN, join(other, 'own.json'));
  expect(await mcp(other, 'add', 'a', '--', 'x')).toMatchObject({ code: 0 });
  expect(Object.keys(servers(other, 'own.json') as object)).toEqual(['secret', 'a']);
});
