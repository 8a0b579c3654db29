import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Outcome, prompt, promptHere, workspace } from '../program.ts';
import { LIBRARY } from './library-server.ts';

const OWN = '.config/prompt-agent/mcp.json';
const NODE = process.execPath;

function mcp(cwd: string, ...args: readonly string[]): Promise<Outcome> {
  return promptHere(['mcp', ...args], { cwd });
}

function servers(cwd: string, file = OWN): unknown {
  return (JSON.parse(readFileSync(join(cwd, file), 'utf8')) as { mcpServers: unknown }).mcpServers;
}

test('a server that was added is listed, shown, tested and removed; nothing is started before it is tested', async () => {
  verifies('cli.mcp.add', 'cli.mcp.show', 'cli.mcp.test');
  const cwd = workspace({ 'server.mjs': LIBRARY });
  const log = join(cwd, 'log.txt');
  expect(
    await mcp(cwd, 'add', 'lib', '--env', `LIBRARY_LOG=${log}`, '--', NODE, 'server.mjs', '--depth', '2'),
  ).toMatchObject({ code: 0, stdout: '' });
  expect(servers(cwd)).toEqual({
    lib: { command: NODE, args: ['server.mjs', '--depth', '2'], env: { LIBRARY_LOG: log } },
  });
  expect(statSync(join(cwd, OWN)).mode % 0o1000).toBe(0o600);
  expect((await mcp(cwd, 'list')).stdout).toBe('lib  program  user\n');
  expect(JSON.parse((await mcp(cwd, 'list', '--json')).stdout)).toEqual([
    { name: 'lib', transport: 'program', scope: 'user', signedIn: null, disabled: false },
  ]);
  const shown = await mcp(cwd, 'show', 'lib');
  expect(shown.stdout).toContain('server.mjs --depth 2\n');
  expect(shown.stdout).toContain('variable: LIBRARY_LOG (set)\n');
  expect(shown.stdout).toContain('tools: not used yet');
  expect(() => readFileSync(log)).toThrow('ENOENT');
  const tested = await mcp(cwd, 'test', 'lib', '--json');
  expect(tested.code).toBe(0);
  expect(JSON.parse(tested.stdout)).toMatchObject({
    protocolVersion: expect.stringMatching(/^20\d\d-/) as string,
    server: { name: 'library', version: '7' },
    tools: 1,
    resources: 2,
    resourceTemplates: 1,
    prompts: 2,
    milliseconds: expect.any(Number) as number,
  });
  expect((await mcp(cwd, 'test', 'lib')).stdout).toMatch(/^protocol +20\d\d-.*\nserver +library 7\ntools +1\n/);
  expect(await mcp(cwd, 'remove', 'lib')).toMatchObject({ code: 0 });
  expect(servers(cwd)).toEqual({});
  expect(await mcp(cwd, 'remove', 'lib')).toMatchObject({ code: 2 });
});

test("a project's file that is damaged keeps nobody from their own servers", async () => {
  verifies('cli.mcp.add');
  const cwd = workspace({ '.mcp.json': '{', 'server.mjs': LIBRARY });
  expect(await mcp(cwd, 'add', 'lib', '--', NODE, join(cwd, 'server.mjs'))).toMatchObject({ code: 0 });
  for (const command of ['show', 'test', 'remove']) expect(await mcp(cwd, command, 'lib')).toMatchObject({ code: 0 });
  expect((await mcp(cwd, 'show', 'lib')).stderr).toContain('is not valid JSON');
});

test('processes that add at the same time lose none of their servers', async () => {
  verifies('cli.mcp.atomic');
  const cwd = workspace({});
  const names = ['one', 'two', 'three', 'four'];
  const outcomes = await Promise.all(names.map((name) => prompt(['mcp', 'add', name, '--', 'program'], { cwd })));
  expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0, 0]);
  expect(Object.keys(servers(cwd) as object).toSorted()).toEqual(names.toSorted());
});

test('a server that dies, never answers, or is not there fails its test with what happened, and exit code 1', async () => {
  verifies('cli.mcp.test');
  const cwd = workspace({ 'silent.mjs': 'setInterval(() => {}, 1000);' });
  await mcp(cwd, 'add', 'dies', '--', NODE, '-e', 'console.error("no licence"); process.exit(4)');
  await mcp(cwd, 'add', 'silent', '--', NODE, 'silent.mjs');
  await mcp(cwd, 'add', 'gone', 'http://127.0.0.1:2/mcp');
  await mcp(cwd, 'add', 'unset', 'https://a.example.com/${NOT_SET}');
  const dies = await mcp(cwd, 'test', 'dies');
  expect(dies).toMatchObject({ code: 1, stdout: '' });
  expect(dies.stderr).toContain('ended with exit code 4');
  expect(dies.stderr).toContain('no licence');
  const silent = await mcp(cwd, 'test', 'silent', '--max-time', '300ms');
  expect(silent).toMatchObject({ code: 1, stdout: '' });
  expect(silent.stderr).toContain('300 ms');
  expect((await mcp(cwd, 'test', 'gone')).stderr).toContain('ECONNREFUSED');
  expect((await mcp(cwd, 'test', 'unset')).stderr).toContain('NOT_SET, which is not set');
});
