import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { chmod, mkdir, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { verifies } from '@kernel/testing';
import { describe, expect, it, vi } from 'vitest';
import { commandTools } from '../../src/commands/index.ts';
import { commands, PLACES, progress, virtualTimers } from './support.ts';

const node = process.execPath;
const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
};

describe.each(PLACES)('run_command $place', ({ isInTerminal }) => {
  it('runs a program with its arguments as they are, and returns output and exit code', async () => {
    verifies('toolbox.commands.run');
    const { run } = await commands({ isInTerminal });
    const result = await run(['printf', '%s|', 'a b', '$HOME', '*', '; rm -rf /', '"']);
    expect(result.forLLM).toMatch(/^Exit code 0 after \d+\.\d s\.\na b\|\$HOME\|\*\|; rm -rf \/\|"\|$/);
    expect(result.data).toMatchObject({ exitCode: 0, signal: null, bytesLeftOut: 0 });
  });

  it('a non-zero exit code is an answer, with standard error in it', async () => {
    const { run } = await commands({ isInTerminal });
    const result = await run(['bash', '-c', 'echo out; echo err >&2; exit 3']);
    expect(result.isError).toBeUndefined();
    expect(result.forLLM).toContain('Exit code 3');
    expect(result.forLLM).toContain('out\nerr');
  });

  it('reads no standard input but the one that is given', async () => {
    const { run } = await commands({ isInTerminal });
    expect((await run(['cat'])).forLLM).toContain('(no output)');
    expect((await run(['cat'], { input: 'grüß' })).forLLM).toContain('grüß');
    expect((await run(['true'], { input: 'x'.repeat(5_000_000) })).data).toMatchObject({ exitCode: 0 });
  });

  it('runs in the folder of the workspace, or one below it, and nowhere else', async () => {
    const { run, folder } = await commands({ isInTerminal });
    await mkdir(join(folder, 'sub'));
    await symlink('/', join(folder, 'out'));
    expect((await run(['pwd'])).forLLM).toContain(folder);
    expect((await run(['pwd'], { cwd: 'sub' })).forLLM).toContain(join(folder, 'sub'));
    for (const cwd of ['..', '/', 'out', 'sub/../..', 'missing'])
      expect(await run(['pwd'], { cwd })).toMatchObject({ isError: true });
  });

  it('passes on the named variables only', async () => {
    verifies('toolbox.commands.environment');
    vi.stubEnv('SOME_API_KEY', 'secret');
    const { run } = await commands({ isInTerminal, setVariables: { EXTRA: '1' } });
    const { forLLM } = await run(['env']);
    expect(forLLM).toContain('EXTRA=1');
    expect(forLLM).toContain('PATH=');
    expect(forLLM).not.toContain('secret');
    vi.unstubAllEnvs();
  });

  it('finds no program in the workspace by a PATH that leads there', async () => {
    const { run, folder } = await commands({ isInTerminal });
    await mkdir(join(folder, 'bin'));
    writeFileSync(join(folder, 'bin', 'hello'), '#!/bin/sh\necho hijacked\n');
    await chmod(join(folder, 'bin', 'hello'), 0o755);
    vi.stubEnv('PATH', `${join(folder, 'bin')}:.:bin:${process.env['PATH'] ?? ''}`);
    const { createWorkspace } = await import('../../src/workspace/index.ts');
    const workspace = await createWorkspace({ root: folder });
    const { tools } = commandTools({ workspace, isolation: 'none' });
    vi.unstubAllEnvs();
    const handler = tools[0]?.handler as (input: object, context: object) => Promise<unknown>;
    const context = { signal: new AbortController().signal };
    await expect(handler({ command: ['hello'] }, context)).rejects.toThrow('there is no such program');
    expect(await run(['bin/hello'])).toMatchObject({ data: { exitCode: 0 } });
  });

  it.each([
    [['no-such-program-here'], 'there is no such program'],
    [['./not-executable'], isInTerminal ? 'Exit code 126' : 'it is not executable'],
    [['ls\0'], 'NUL'],
    [[''], 'empty'],
  ])('%j cannot be started, and the result says why', async (command, reason) => {
    const { run, folder } = await commands({ isInTerminal });
    writeFileSync(join(folder, 'not-executable'), 'x');
    expect((await run(command)).forLLM).toContain(reason);
  });

  it.each([
    [['cd', 'src'], 'cwd "src"'],
    [['pushd'], 'and cwd.'],
    [['source', 'x.sh'], '["bash","-c","source … && PROGRAM"]'],
    [['npm test', '--quiet'], '["npm","test","--quiet"]'],
  ])('%j is no program, and the model reads what to call in its place', async (command, hint) => {
    const { run } = await commands({ isInTerminal });
    expect((await run(command)).forLLM).toContain(hint);
  });

  it('ends with its whole group on the time limit', async () => {
    verifies('toolbox.commands.group');
    const { run } = await commands({ isInTerminal });
    const clock = virtualTimers();
    const { saw, onProgress } = progress();
    const script = 'trap "" TERM; sleep 100 & echo "child $!"; sleep 100';
    const result = run(['bash', '-c', script], { timeout_seconds: 2 }, { onProgress });
    const child = Number((await saw('child'))[1]);
    await clock.advance(1999);
    expect(isAlive(child)).toBe(true);
    await clock.advance(1);
    // They ignore SIGTERM, and get two more seconds.
    await clock.advance(2000);
    const { forLLM, ...rest } = await result;
    expect(rest).toMatchObject({ isError: true, outcome: 'timeout' });
    expect(forLLM).toContain('longer than 2 s');
    clock.end();
    await vi.waitUntil(() => !isAlive(child), { timeout: 60_000 });
  });

  it('ends with its whole group on an abort', async () => {
    const { run, folder } = await commands({ isInTerminal });
    const controller = new AbortController();
    const result = run(['bash', '-c', 'echo $$ > pid; sleep 100 & sleep 100'], {}, { signal: controller.signal });
    await vi.waitUntil(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '', {
      timeout: 60_000,
    });
    controller.abort();
    expect(await result).toMatchObject({ isError: true });
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 });
  });

  it('leaves nothing running when its main process has ended', async () => {
    const { run, folder } = await commands({ isInTerminal });
    const result = await run(['bash', '-c', 'sleep 100 & echo $! > child; echo done']);
    expect(result.forLLM).toContain('done');
    const pid = Number(readFileSync(join(folder, 'child'), 'utf8'));
    await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 });
  });
});

describe('run_command', () => {
  it('reports no timeout of a command that ended while this program was stopped', async () => {
    verifies('toolbox.commands.group');
    const { run, folder } = await commands();
    const clock = virtualTimers();
    const { saw, onProgress } = progress();
    const script = 'echo "pid $$"; until [ -e go ]; do :; done';
    const result = run(['bash', '-c', script], { timeout_seconds: 2 }, { onProgress });
    const pid = Number((await saw('pid'))[1]);
    // Until the next await, this program notices nothing.
    writeFileSync(join(folder, 'go'), '');
    while (isAlive(pid));
    await clock.advance(2000);
    const { isError, forLLM } = await result;
    expect([isError, forLLM]).toEqual([undefined, expect.stringMatching(/^Exit code 0 after /)]);
  });

  it('keeps the beginning and the end of a long output, in bounded memory', async () => {
    verifies('toolbox.commands.output');
    const { run } = await commands({ maxOutputBytes: 1000 });
    const before = process.memoryUsage().rss;
    const script =
      'console.log("first"); for (let i = 0; i < 2000; i++) process.stdout.write("x".repeat(50000)); console.log("last")';
    const { forLLM, data } = await run([node, '-e', script]);
    expect(forLLM).toContain('first');
    expect(forLLM.trimEnd().endsWith('last')).toBe(true);
    expect(forLLM).toMatch(/… \d+ bytes left out …/);
    expect(forLLM.length).toBeLessThan(1300);
    expect((data as { bytesLeftOut: number }).bytesLeftOut).toBe(100_000_000 + 11 - 1000);
    expect(process.memoryUsage().rss - before).toBeLessThan(150_000_000);
  });

  it('reports output as progress while the command runs, without terminal escapes', async () => {
    const { run } = await commands();
    const seen: string[] = [];
    const onProgress = (update: string) => void seen.push(update);
    const result = await run(
      ['bash', '-c', String.raw`printf '\e[31mred\e[0m\n'; printf '10%%\r20%%\r30%%\n'`],
      {},
      { onProgress },
    );
    expect(result.forLLM).toContain('red\n30%\n');
    expect(seen.join('')).toContain('red');
    expect(seen.join('')).not.toContain('\u001b');
  });
});

describe.each(PLACES)('background commands $place', ({ isInTerminal }) => {
  it('go on after the call, are read from where the reader was, and are stopped', async () => {
    verifies('toolbox.commands.background');
    const { run, use } = await commands({ isInTerminal });
    const started = await run(['bash', '-c', 'echo one; read -t 100 < <(sleep 100); echo two'], { background: true });
    expect(started.forLLM).toContain('command-1');
    expect((await use('read_output', { id: 'command-1', wait_seconds: 30 })).forLLM).toBe('It runs.\none\n');
    expect((await use('read_output', { id: 'command-1' })).forLLM).toBe('It runs.\n(no new output)');
    expect((await use('stop_command', { id: 'command-1' })).forLLM).toContain('It was stopped');
    expect((await use('read_output', { id: 'command-1' })).forLLM).toContain('It was stopped');
  });

  it('say how they ended', async () => {
    const { run, use } = await commands({ isInTerminal });
    await run(['bash', '-c', 'exit 4'], { background: true });
    await run(['no-such-program-here'], { background: true });
    await vi.waitUntil(async () => (await use('read_output', { id: 'command-1' })).forLLM.includes('Exit code 4'), {
      timeout: 60_000,
    });
    expect((await use('read_output', { id: 'command-2', wait_seconds: 20 })).forLLM).toContain('no such program');
    expect(await use('read_output', { id: 'command-9' })).toMatchObject({ isError: true });
  });

  it('are limited in number, and end when the tools are closed', async () => {
    const { run, folder, close } = await commands({ isInTerminal, maxBackground: 1 });
    await run(['bash', '-c', 'echo $$ > pid; sleep 100'], { background: true });
    expect(await run(['sleep', '100'], { background: true })).toMatchObject({ isError: true });
    await vi.waitUntil(() => existsSync(join(folder, 'pid')) && readFileSync(join(folder, 'pid'), 'utf8') !== '', {
      timeout: 60_000,
    });
    const pid = Number(readFileSync(join(folder, 'pid'), 'utf8'));
    await close();
    // A terminal is killed by the editor, which does not tell when its processes are gone.
    await vi.waitUntil(() => !isAlive(pid), { timeout: 60_000 });
  });
});
