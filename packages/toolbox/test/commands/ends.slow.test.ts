import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { verifies } from '@kernel/testing';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { isolations, processesWith } from './isolations.ts';
import { commands, emptyFolder } from './support.ts';

const FIXTURE = fileURLToPath(new URL('../fixtures/leaves-running.ts', import.meta.url));

async function start(root: string, way: string, isolation = ''): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--conditions=@kernel/source', FIXTURE, root, way, isolation], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return child;
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

describe.skipIf(process.platform === 'win32')('background commands when the program is ended', () => {
  it.each([
    ['SIGTERM', '', 'SIGTERM', null],
    ['SIGHUP', '', 'SIGHUP', null],
    ['SIGTERM', 'handled', null, 3],
  ] as const)('by %s %s, end with it', async (signal, way, endSignal, code) => {
    verifies('toolbox.commands.background');
    const root = await emptyFolder();
    const child = await start(root, way);
    const pid = Number(readFileSync(join(root, 'pid'), 'utf8'));
    expect(isAlive(pid)).toBe(true);
    child.kill(signal);
    expect(await once(child, 'exit')).toEqual([code, endSignal]);
    await expect.poll(() => isAlive(pid)).toBe(false);
  });
});

describe.each(isolations)('a command isolated by $name', ({ name, feature }) => {
  it('ends with a program that is killed, which can end nothing itself', feature.options, async () => {
    verifies('toolbox.isolation');
    const root = await emptyFolder();
    const child = await start(root, '', name);
    expect(processesWith(root).length).toBeGreaterThan(1);
    child.kill('SIGKILL');
    await expect.poll(() => processesWith(root)).toEqual([]);
  });
});

describe('background commands in great number', () => {
  it('are forgotten some time after they have ended, and no name is used twice', async () => {
    const { run, use } = await commands();
    for (let count = 1; count <= 55; count += 1) {
      // One after the other, so that none is above the limit of those that run.
      // oxlint-disable-next-line no-await-in-loop
      const { forLLM } = await run(['true'], { background: true });
      expect(forLLM).toContain(`command-${count} runs`);
      // oxlint-disable-next-line no-await-in-loop
      await use('read_output', { id: `command-${count}`, wait_seconds: 30 });
    }
    expect(JSON.stringify(await use('read_output', { id: 'command-55' }))).toContain('Exit code 0');
    expect(JSON.stringify(await use('read_output', { id: 'command-1' }))).toContain('no background command');
  });

  it('wake everybody who waits for them', async () => {
    const { folder, run, use } = await commands();
    await run(['bash', '-c', 'until [ -e go ]; do sleep 0.02; done; echo late; sleep 1000'], { background: true });
    // Nobody waits to the end of the time: only output wakes them.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const waiting = Promise.all([1, 2, 3].map(() => use('read_output', { id: 'command-1', wait_seconds: 60 })));
    while (vi.getTimerCount() < 3) await new Promise((resolve) => setImmediate(resolve));
    writeFileSync(join(folder, 'go'), '');
    const results = await waiting;
    vi.useRealTimers();
    expect(results.map(({ forLLM }) => forLLM).join('\n')).toMatch(/^It runs\.\nlate$/m);
  });
});

describe('a command that cannot be started', () => {
  it('says so where its arguments are too long', async () => {
    const { run } = await commands();
    expect(await run(['echo', ...Array.from({ length: 60 }, () => 'ü'.repeat(90_000))])).toMatchObject({
      isError: true,
      code: 'TOOL_FAILED',
      forLLM: expect.stringContaining('too long'),
    });
  });
});
