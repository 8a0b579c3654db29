import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import type { Readable } from 'node:stream';
import { existsSync, readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { hasEnded, ownIdentity } from '../src/index.ts';

test('the real identity of this process tells it from one that has ended, and shows no id of the machine', () => {
  const identity = ownIdentity();
  const { pid } = spawnSync(process.execPath, ['--version']);
  expect(hasEnded(identity)).toBe(false);
  expect(hasEnded({ ...identity, pid })).toBe(true);
  expect(hasEnded({ ...identity, start: '1' })).toBe(identity.start !== undefined);
  expect(hasEnded({ ...identity, pid, machine: 'another' })).toBe(false);
  expect(hasEnded({ pid })).toBe(false);
  expect(JSON.stringify(identity)).not.toContain(machineId());
});

/** The id of this machine, or what is in no text. */
function machineId(): string {
  const path = '/etc/machine-id';
  return (existsSync(path) && readFileSync(path, 'utf8').trim()) || '\0';
}

test.skipIf(process.platform !== 'linux')('a process that nobody has waited for yet has ended', async () => {
  // The shell becomes a program that never waits for its child, which ends when its input does.
  const parent = spawn('/bin/sh', ['-c', 'cat <&3 & echo $!; exec sleep 100'], {
    stdio: ['ignore', 'pipe', 'inherit', 'pipe'],
  });
  onTestFinished(() => void parent.kill('SIGKILL'));
  const [line] = (await once(parent.stdout as Readable, 'data')) as [Buffer];
  const pid = Number(line.toString());
  const has = (id: number | undefined, text: string) => () => readFileSync(`/proc/${id}/stat`, 'utf8').includes(text);
  await vi.waitUntil(has(parent.pid, '(sleep)'), { timeout: 60_000 });
  parent.stdio[3]?.destroy();
  await vi.waitUntil(has(pid, ') Z '), { timeout: 60_000 });
  const start = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ')[19];
  expect(() => process.kill(pid, 0)).not.toThrow();
  expect(hasEnded({ ...ownIdentity(), pid, start })).toBe(true);
});
