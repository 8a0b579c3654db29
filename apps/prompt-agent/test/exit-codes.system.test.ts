import { readFileSync } from 'node:fs';
import { startWireServer, verifies, type WireServerOptions } from '@kernel/testing';
import { expect, test } from 'vitest';
import { EXIT, exitCodeOf } from '../src/exit-code.ts';
import { exitCodeOfRun } from '../src/run-ends.ts';
import { KERNEL_ERROR_CODES, KernelError } from '@kernel/protocol';
import { EXIT_CODES } from '../src/commands/man.ts';
import { OWN_CONFIG, prompt, promptHere, workspace } from './program.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const { signal } = new AbortController();

test('the list of exit codes in the README is the one that the program has', () => {
  verifies('cli.exit.table');
  const list = /### Exit codes\n\n((?:- .*\n)+)/.exec(readme)?.[1] ?? '';
  const codes = [...list.matchAll(/^- (\d+): /gm)].map(([, code]) => Number(code));
  expect(codes).toEqual(Object.values(EXIT));
});

test('the manual page has the same codes, in the same order', () => {
  verifies('cli.exit.table');
  expect(EXIT_CODES.map(([code]) => code)).toEqual(Object.values(EXIT));
});

test('every kind of error and every end of a run has one of these codes, and only an answer has 0', () => {
  verifies('cli.exit.table');
  const known: readonly number[] = Object.values(EXIT);
  for (const code of KERNEL_ERROR_CODES) {
    const exit = exitCodeOf(new KernelError(code, 'x'), signal);
    expect(known).toContain(exit);
    expect(exit).not.toBe(EXIT.answer);
  }
  for (const [status, exit] of [
    [400, EXIT.refused],
    [429, EXIT.refused],
    [500, EXIT.network],
    [529, EXIT.network],
  ] as const)
    expect(exitCodeOf(new KernelError('PROVIDER_HTTP', 'x', { data: { status } }), signal)).toBe(exit);
  const reasons = ['done', 'handled', 'aborted', 'approval', 'limit', 'loop', 'filtered', 'length'] as const;
  const codes = reasons.map((reason) => [reason, exitCodeOfRun({ reason }, signal)]);
  expect(Object.fromEntries(codes)).toEqual({
    done: 0,
    handled: 0,
    aborted: 130,
    approval: 4,
    limit: 5,
    loop: 6,
    filtered: 7,
    length: 5,
  });
});

test('with --json and --json-lines every exit prints JSON that says its code', async () => {
  verifies('cli.json.errors');
  const cwd = workspace();
  for (const [args, code, error] of [
    [['2+2'], 0, undefined],
    [['write a poem'], 3, 'PROVIDER_REFUSED'],
    [['--nonsense', 'hi'], 2, 'CONFIG_INVALID'],
    [['--config', 'none.json', 'hi'], 2, 'CONFIG_INVALID'],
    [[' '], 2, 'CONFIG_INVALID'],
    [['--max-turns', '1', 'what is 6 times 7?'], 5, undefined],
  ] as const) {
    const whole = await promptHere(['--json', ...args], { cwd });
    const object = JSON.parse(whole.stdout) as { exitCode: number; error?: { code: string } };
    expect([args, whole.code, object.exitCode, object.error?.code]).toEqual([args, code, code, error]);
    const lines = await promptHere(['--json-lines', ...args], { cwd });
    const last = JSON.parse(lines.stdout.trimEnd().split('\n').at(-1) ?? '') as { type: string; error?: unknown };
    expect([args, lines.code, last.type]).toEqual([args, code, expect.stringMatching(/^(?:run-end|error)$/)]);
  }
  const built = await prompt(['-json', '--nonsense'], { cwd });
  expect(JSON.parse(built.stdout)).toMatchObject({ version: 1, exitCode: 2, error: { code: 'CONFIG_INVALID' } });
});

test('--json-lines begins with its version, and has each tool whole once and by name in each turn', async () => {
  verifies('cli.json.lines');
  const { stdout } = await promptHere(['--json-lines', 'what is 6 times 7?']);
  const lines = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string; tools?: readonly unknown[] });
  expect(lines[0]).toMatchObject({ type: 'start', version: 1, provider: 'offline', model: 'offline' });
  expect(lines.filter(({ type }) => type === 'tools')).toHaveLength(1);
  const turns = lines.filter(({ type }) => type === 'turn-start');
  expect(turns).toHaveLength(2);
  for (const { tools = [] } of turns) {
    expect(tools.length).toBeGreaterThan(0);
    for (const tool of tools) expect(tool).toBeTypeOf('string');
  }
});

test('the program ends with each of the codes, and its process with that of the program', async () => {
  verifies('cli.exit.table');
  const same = { calls: [{ id: 'c1', name: 'calculate', arguments: { expression: '1+1' } }] };
  const write = { calls: [{ id: 'c1', name: 'write_file', arguments: { path: 'a', content: 'b' } }] };
  const cases: readonly (readonly [number, WireServerOptions['replies'], readonly string[]])[] = [
    [EXIT.answer, () => ({ text: 'ok' }), []],
    [EXIT.failed, () => ({ status: 200, headers: { 'content-type': 'application/json' }, chunks: ['{'] }), []],
    [EXIT.usage, () => ({ text: 'ok' }), ['--max-turns', 'x']],
    [EXIT.offline, () => ({ text: 'ok' }), ['--provider', 'offline']],
    [EXIT.approval, () => write, ['--bundle', 'code_agent']],
    [EXIT.limit, () => same, ['--max-turns', '1']],
    [EXIT.loop, () => same, []],
    [EXIT.refused, () => ({ status: 400, headers: {}, chunks: ['{"error":{"message":"no"}}'] }), []],
    [EXIT.network, () => ({ status: 503, headers: {}, chunks: ['{"error":{"message":"busy"}}'] }), []],
    [EXIT.network, () => ({ text: 'ok' }), ['--base-url', 'http://127.0.0.1:9']],
  ];
  const seen = await Promise.all(
    cases.map(async ([exit, replies, args]) => {
      const server = await startWireServer({ replies });
      const cwd = workspace({ [OWN_CONFIG]: '{"client":{"retry":{"max_retries":0}}}' });
      const own = args.includes('--base-url') || args.includes('--provider') ? [] : ['--base-url', server.baseUrl];
      const { code } = await (exit === EXIT.loop ? prompt : promptHere)([...own, '-m', 'm', ...args, 'write a poem'], {
        cwd,
      });
      await server.close();
      return code;
    }),
  );
  expect(seen).toEqual(cases.map(([code]) => code));
});
