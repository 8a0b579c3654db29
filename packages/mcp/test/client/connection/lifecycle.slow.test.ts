import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test } from 'vitest';
import { withoutTimers } from '../../../../../test/setup/without-timers.ts';
import { connectMcp } from '../../../src/index.ts';
import { call, connected, isAlive, misbehaving, server, until } from '../programs.ts';

function temporary(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'kernel-mcp-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return join(folder, name);
}

/** A process that was ended may stay in the table for a moment. */
async function expectEnded(...pids: number[]): Promise<void> {
  await until(() => !pids.some((pid) => isAlive(pid)));
}

async function failure(pending: Promise<unknown>): Promise<KernelError> {
  const error: unknown = await pending.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!KernelError.is(error)) throw new Error(`it gave ${String(error)}`);
  return error;
}

test('a server that dies in the middle of a call gives a result at once, with signal and stderr, and is started for the next call', async () => {
  verifies('mcp.client.toolset');
  const secret = 'sk-very-secret';
  const toolset = await connected({ a: { ...server('dies', 'dies_reading', 'pid'), env: { SECRET_TOKEN: secret } } });
  const first = (await call(toolset, 'mcp__a__pid')).forLLM;
  const result = await call(toolset, 'mcp__a__dies');
  expect(result).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN', outcome: 'unknown' });
  expect(result.forLLM).toContain('MCP server "a" was ended by SIGKILL during the call of "mcp__a__dies".');
  expect(result.forLLM).toContain('about to die with [redacted]\nlast words');
  expect(JSON.stringify(result)).not.toContain(secret);
  const second = (await call(toolset, 'mcp__a__pid')).forLLM;
  expect(second).toMatch(/^\d+$/);
  expect(second).not.toBe(first);
});

test('a tool that only reads may be called again after its server died, and the result says so', async () => {
  const toolset = await connected({ a: server('dies_reading') }, { trustHints: ['a'] });
  const result = await call(toolset, 'mcp__a__dies_reading');
  expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(result.forLLM).toContain('may be tried again');
  expect(KernelError.is(result.error) && result.error.retryable).toBe(true);
});

test('all calls that a dying server leaves open get their result', async () => {
  const toolset = await connected({ a: server('dies', 'hangs') });
  const results = await Promise.all([
    call(toolset, 'mcp__a__hangs'),
    call(toolset, 'mcp__a__hangs'),
    call(toolset, 'mcp__a__dies'),
  ]);
  for (const result of results) expect(result).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN' });
});

test('calls at the same time after a death start the server once', async () => {
  const toolset = await connected({ a: server('dies', 'pid') });
  await call(toolset, 'mcp__a__dies');
  const pids = await Promise.all(Array.from({ length: 8 }, () => call(toolset, 'mcp__a__pid')));
  expect(new Set(pids.map(({ forLLM }) => forLLM)).size).toBe(1);
});

test('a server that fails to come back at first is tried again with a pause between', async () => {
  const starts = temporary('starts');
  const toolset = await connected({ a: misbehaving('exits-once', starts) });
  expect(await call(toolset, 'mcp__a__ok')).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN' });
  const startedMs = performance.now();
  expect((await call(toolset, 'mcp__a__ok')).forLLM).toBe('ok after 4 starts');
  expect(performance.now() - startedMs).toBeGreaterThan(150);
});

test('a call that waits for a server to come back settles at once on its abort', async () => {
  const starts = temporary('starts');
  const toolset = await connected({ a: misbehaving('exits-once', starts) });
  await call(toolset, 'mcp__a__ok');
  const stop = new AbortController();
  const pending = call(toolset, 'mcp__a__ok', {}, { signal: stop.signal });
  await until(() => readFileSync(starts, 'utf8') === '2');
  const result = await withoutTimers(
    () => stop.abort(),
    () => pending,
  );
  expect(result).toMatchObject({ isError: true, code: 'TOOL_CANCELLED' });
});

test.each([
  ['deaf', 'closed its standard input'],
  ['mute', 'closed its standard output'],
])('a server that goes %s in the middle of a call gives a result', async (way, why) => {
  const toolset = await connected({ a: misbehaving(way) });
  const [first, second] = await Promise.all([
    call(toolset, 'mcp__a__ok'),
    new Promise((resolve) => setTimeout(resolve, 100)).then(() => call(toolset, 'mcp__a__ok')),
  ]);
  const texts = [first.forLLM, second.forLLM].join('\n');
  expect(first.isError).toBe(true);
  expect(texts).toContain(why);
});

test('a server that exits at its start: connectMcp rejects with its name, exit code and stderr, and the other servers are ended', async () => {
  const pidFile = temporary('pid');
  const pending = connectMcp(
    {
      mcpServers: {
        good: misbehaving('stays', pidFile),
        bad: { ...misbehaving('exits'), env: { LICENCE: 'licence' } },
      },
    },
    { graceMs: 200 },
  );
  const error = await failure(pending);
  expect(error.code).toBe('TOOL_UNAVAILABLE');
  expect(error.message).toMatch(
    /MCP server "bad" .* ended with exit code 3\. Its last lines on stderr:\nno \[redacted\] found/s,
  );
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8')) : undefined;
  expect(pid !== undefined && isAlive(pid)).toBe(false);
});

test('a program or folder that does not exist is named', async () => {
  expect((await failure(connectMcp({ mcpServers: { a: { command: 'no-such-program' } } }))).message).toContain(
    'MCP server "a" (no-such-program) could not be started: program "no-such-program" was not found',
  );
  const cwd = temporary('nowhere');
  expect((await failure(connectMcp({ mcpServers: { a: { ...server(), cwd } } }))).message).toContain(
    `there is no folder "${cwd}"`,
  );
});

test('a server that never answers initialize fails by the connect timeout and is ended', async () => {
  const pidFile = temporary('pid');
  const error = await failure(
    connectMcp({ mcpServers: { a: misbehaving('silent', pidFile) } }, { connectTimeoutMs: 4000, graceMs: 100 }),
  );
  expect(error.message).toContain('did not answer within 4000 ms');
  expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
});

test('a connect timeout longer than any timer is as long as a timer can be', async () => {
  const toolset = await connected({ a: server('ok') }, { connectTimeoutMs: Number.MAX_SAFE_INTEGER });
  expect((await call(toolset, 'mcp__a__ok')).forLLM).toBe('ok');
});

test('pages without end are a warning, and what was listed is used', async () => {
  const told: string[] = [];
  const onUnavailable = (_: string, error: KernelError): void => void told.push(error.message);
  const toolset = await connected({ a: misbehaving('endless-pages') }, { onUnavailable });
  expect(toolset.list()).toHaveLength(1);
  expect(told).toEqual([expect.stringMatching(/MCP server "a" .* pages/)]);
});

test('an abort while servers start rejects with its reason and leaves nothing running', async () => {
  const stop = new AbortController();
  const reason = new Error('not now');
  const pidFile = temporary('pid');
  const config = { mcpServers: { a: misbehaving('silent', pidFile) } };
  const pending = connectMcp(config, { signal: stop.signal, graceMs: 100 });
  await until(() => existsSync(pidFile) && readFileSync(pidFile, 'utf8') !== '');
  stop.abort(reason);
  await expect(pending).rejects.toBe(reason);
  expect(isAlive(Number(readFileSync(pidFile, 'utf8')))).toBe(false);
});

test('with onUnavailable a server that cannot start is reported and left out, and the others are used', async () => {
  const told: [string, string][] = [];
  const toolset = await connected(
    { bad: misbehaving('exits'), good: server('ok') },
    { onUnavailable: (name, error) => void told.push([name, error.code]) },
  );
  expect(told).toEqual([['bad', 'TOOL_UNAVAILABLE']]);
  expect(toolset.list().map(({ name }) => name)).toEqual(['mcp__good__ok']);
});

test('close ends a server that ignores the end of its input and SIGTERM', async () => {
  const pidFile = temporary('pid');
  const toolset = await connected({ a: misbehaving('stays', pidFile) }, { graceMs: 100 });
  await call(toolset, 'mcp__a__ok');
  const pid = Number(readFileSync(pidFile, 'utf8'));
  expect(isAlive(pid)).toBe(true);
  await toolset.close();
  expect(isAlive(pid)).toBe(false);
});

test('close ends the programs that a server has started, also those that ignore SIGTERM', async () => {
  const toolset = await connected({ a: server('child') }, { graceMs: 100 });
  const grandchild = Number((await call(toolset, 'mcp__a__child')).forLLM);
  expect(isAlive(grandchild)).toBe(true);
  await toolset.close();
  await expectEnded(grandchild);
});

test('the programs of a server that was killed are ended with it', async () => {
  const toolset = await connected({ a: server('child', 'dies') }, { graceMs: 100 });
  const grandchild = Number((await call(toolset, 'mcp__a__child')).forLLM);
  await call(toolset, 'mcp__a__dies');
  await expectEnded(grandchild);
});

test('after close every call is a result that says so, that of a running one that nobody knows what became of it, and close may be called again', async () => {
  const toolset = await connected({ a: server('hangs', 'echo') });
  const running = call(toolset, 'mcp__a__hangs');
  await call(toolset, 'mcp__a__echo', { note: 'x' });
  await Promise.all([toolset.close(), toolset.close()]);
  const sent = await running;
  expect(sent).toMatchObject({ isError: true, code: 'OUTCOME_UNKNOWN', outcome: 'unknown' });
  expect(sent.forLLM).toContain('Whether it took effect is unknown');
  const later = await call(toolset, 'mcp__a__echo', { note: 'x' });
  expect(later).toMatchObject({ isError: true, code: 'TOOL_UNAVAILABLE' });
  expect(later.forLLM).toContain('closed');
  await toolset.close();
});

const HOST = fileURLToPath(new URL('../../fixtures/host.ts', import.meta.url));

test.each(['exit', 'throw', 'SIGTERM', 'SIGINT'] as const)(
  'servers end with a program that ends by %s without close',
  async (way) => {
    const host = spawn(process.execPath, ['--conditions=@kernel/source', HOST, way], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const ended = new Promise<string>((resolve) =>
      host.once('exit', (code, signal) => resolve(String(signal ?? code))),
    );
    const pids = await new Promise<number[]>((resolve) => {
      host.stdout.once('data', (line: Buffer) => resolve(line.toString().trim().split(' ').map(Number)));
    });
    expect(pids).toHaveLength(2);
    if (way === 'SIGTERM' || way === 'SIGINT') host.kill(way);
    expect(await ended).toBe({ exit: '7', throw: '1', SIGTERM: 'SIGTERM', SIGINT: 'SIGINT' }[way]);
    await expectEnded(...pids);
  },
);

test('importing the package loads nothing of the SDK', () => {
  const code = `
    import { registerHooks } from 'node:module';
    const seen = [];
    registerHooks({ resolve(specifier, context, next) { seen.push(specifier); return next(specifier, context); } });
    const { connectMcp } = await import('@kernel/mcp');
    if (typeof connectMcp !== 'function') process.exit(9);
    console.log(JSON.stringify(seen.filter((each) => each.includes('modelcontextprotocol'))));`;
  const out = execFileSync(process.execPath, ['--conditions=@kernel/source', '--input-type=module', '-e', code], {
    cwd: fileURLToPath(new URL('../..', import.meta.url)),
    encoding: 'utf8',
  });
  expect(JSON.parse(out)).toEqual([]);
});
