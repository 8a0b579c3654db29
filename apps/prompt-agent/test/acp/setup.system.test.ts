import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  lstatSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { link, promptHere, workspace } from '../program.ts';
import { inPseudoTerminal } from '../terminals.ts';

test('--setup prints what each editor needs, with the flags of the call', async () => {
  verifies('cli.acp.setup');
  const expected = {
    zed: ['"agent_servers"', '"type": "custom"', '"--provider"', '"anthropic"'],
    jetbrains: ['"agent_servers"', '"args"', '"anthropic"'],
    neovim: [
      'codecompanion',
      'acp_providers',
      '"--provider"',
      'env = vim.fn.environ()',
      'auto_approve_tool_permissions = false',
    ],
    emacs: ['agent-shell-agent-configs', 'acp-make-client', '"--provider" "anthropic"'],
  };
  for (const [editor, parts] of Object.entries(expected)) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { code, stdout } = await promptHere(['acp', '--setup', editor, '--provider', 'anthropic']);
    expect(code).toBe(0);
    for (const part of parts) expect(stdout).toContain(part);
    expect(stdout).not.toContain('--setup');
  }
});

test.each([
  [['acp'], 'an editor starts this'],
  [['serve', 'mcp'], 'an MCP client starts this'],
])('somebody who starts %j in a terminal reads what it waits for, and leaves with Ctrl-C', async (args, said) => {
  verifies('cli.acp.setup');
  const terminal = inPseudoTerminal(args, { cwd: workspace() });
  await terminal.sees(said);
  terminal.type('\u0003');
  expect(await terminal.ended).toBe(0);
});

test('with -o the entry is added to a file of settings, whose other entries stay', async () => {
  verifies('cli.acp.setup');
  const cwd = workspace({ 'acp.json': JSON.stringify({ theme: 'dark', agent_servers: { other: { command: 'x' } } }) });
  const add = () => promptHere(['acp', '--setup', 'jetbrains', '-o', 'acp.json'], { cwd });
  expect((await add()).code).toBe(0);
  const settings = JSON.parse(readFileSync(join(cwd, 'acp.json'), 'utf8')) as Record<string, Record<string, unknown>>;
  expect(settings['theme']).toBe('dark');
  expect(Object.keys(settings['agent_servers'] ?? {})).toEqual(['other', 'prompt-agent']);
  expect(settings['agent_servers']?.['prompt-agent']).toMatchObject({
    args: expect.arrayContaining(['acp']) as unknown,
  });
  expect((await add()).code).toBe(0);
  const created = await promptHere(['acp', '--setup', 'zed', '-o', 'new.json'], { cwd });
  expect(created.code).toBe(0);
  expect(existsSync(join(cwd, 'new.json'))).toBe(true);
});

test('with -o the folders of a file are made, a link to a file stays one, and so does who may read it', async () => {
  verifies('cli.acp.setup');
  const cwd = workspace({ 'kept/settings.json': '{"theme":"dark"}' });
  const add = (path: string) => promptHere(['acp', '--setup', 'zed', '-o', path], { cwd });
  expect((await add('new/folder/acp.json')).code).toBe(0);
  expect(readFileSync(join(cwd, 'new/folder/acp.json'), 'utf8')).toContain('prompt-agent');
  chmodSync(join(cwd, 'kept/settings.json'), 0o600);
  symlinkSync('kept/settings.json', join(cwd, 'settings.json'));
  expect((await add('settings.json')).code).toBe(0);
  expect(readlinkSync(join(cwd, 'settings.json'))).toBe('kept/settings.json');
  expect(JSON.parse(readFileSync(join(cwd, 'kept/settings.json'), 'utf8'))).toMatchObject({ theme: 'dark' });
  expect(statSync(join(cwd, 'kept/settings.json')).mode & 0o777).toBe(0o600);
  expect(readdirSync(join(cwd, 'kept'))).toEqual(['settings.json']);
});

test('a file of settings that is not plain JSON is left as it is, and so is one for settings that are not JSON', async () => {
  verifies('cli.acp.setup');
  const cwd = workspace({});
  const texts = [
    '{ // mine\n  "a": 1,\n}\n',
    '{"a": 1e400}',
    '{"a": 0.1234567890123456789}',
    '{"a": 12345678901234567890}',
    '{"a": 1, "a": 2}',
  ];
  for (const text of texts) {
    writeFileSync(join(cwd, 'settings.json'), text);
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const refused = await promptHere(['acp', '--setup', 'zed', '-o', 'settings.json'], { cwd });
    expect(refused).toMatchObject({ code: 2 });
    expect(refused.stderr).toContain('not plain JSON');
    expect(readFileSync(join(cwd, 'settings.json'), 'utf8')).toBe(text);
  }
  writeFileSync(join(cwd, 'settings.json'), '{"a": 1.50, "b": 1e3}');
  expect(await promptHere(['acp', '--setup', 'zed', '-o', 'settings.json'], { cwd })).toMatchObject({ code: 0 });
  expect(JSON.parse(readFileSync(join(cwd, 'settings.json'), 'utf8'))).toMatchObject({ a: 1.5, b: 1000 });
  expect(await promptHere(['acp', '--setup', 'emacs', '-o', 'x.el'], { cwd })).toMatchObject({ code: 2 });
  expect(existsSync(join(cwd, 'x.el'))).toBe(false);
  expect(await promptHere(['acp', '--setup', 'ed'], { cwd })).toMatchObject({ code: 2 });
});

test('what -o cannot add to is named and left as it is: folders, devices, links to nowhere, other things in its place', async () => {
  verifies('cli.acp.setup');
  const cwd = workspace({
    'folder/a': '',
    'list.json': '{ "agent_servers": ["mine"] }',
    'number.json': '{ "id": 12345678901234567890 }',
  });
  link(cwd, 'nowhere.json', 'missing/settings.json');
  execFileSync('mkfifo', [join(cwd, 'pipe')]);
  for (const name of ['folder', 'pipe', 'nowhere.json', 'list.json', 'number.json']) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    const { code, stderr } = await promptHere(['acp', '--setup', 'zed', '-o', name], { cwd });
    expect({ name, code }).toEqual({ name, code: 2 });
    expect(stderr).toContain('was not changed');
  }
  expect(readFileSync(join(cwd, 'list.json'), 'utf8')).toBe('{ "agent_servers": ["mine"] }');
  expect(lstatSync(join(cwd, 'pipe')).isFIFO()).toBe(true);
  expect(lstatSync(join(cwd, 'nowhere.json')).isSymbolicLink()).toBe(true);
});

test('setting up again keeps what was added to the entry, and its mode; a key is never written down', async () => {
  verifies('cli.acp.setup');
  const mine = { command: 'old', env: { MY_KEY: 'x' }, default_mode: 'plan' };
  const cwd = workspace({ 'acp.json': JSON.stringify({ agent_servers: { 'prompt-agent': mine } }) });
  chmodSync(join(cwd, 'acp.json'), 0o664);
  expect((await promptHere(['acp', '--setup', 'jetbrains', '-o', 'acp.json'], { cwd })).code).toBe(0);
  const { agent_servers: servers } = JSON.parse(readFileSync(join(cwd, 'acp.json'), 'utf8')) as {
    agent_servers: Record<string, object>;
  };
  expect(servers['prompt-agent']).toMatchObject({ env: { MY_KEY: 'x' }, default_mode: 'plan' });
  expect(statSync(join(cwd, 'acp.json')).mode & 0o777).toBe(0o664);
  const refused = await promptHere(['acp', '--setup', 'zed', '--token', 'sk-000000000000'], { cwd });
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stdout).toBe('');
});
