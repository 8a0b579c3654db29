import childProcess, { spawn } from 'node:child_process';
import { createServer as createHttpServer } from 'node:http';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { setInterval as every, setTimeout as after } from 'node:timers';
import { setTimeout as wait } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { delay } from '../../packages/internal/src/timers.ts';

const nothing = (): void => undefined;

test.each<readonly [string, () => unknown, string]>([
  ['a process', () => spawn('true'), 'in-memory streams'],
  ['a process by the module itself', () => childProcess.execFileSync('true'), 'in-memory streams'],
  ['a process by a module that is loaded late', () => process.getBuiltinModule('node:child_process').fork('a'), 'fake'],
  ['a worker', () => new Worker('', { eval: true }), 'a fake of the port'],
  [
    'a process without a function of the module',
    () => Reflect.apply(Reflect.get(childProcess.ChildProcess.prototype, 'spawn') as () => void, undefined, []),
    'in-memory streams',
  ],
  ['processor time', () => process.cpuUsage(), 'Count work'],
  ['measured time', () => performance.now(), 'Count work'],
  ['a timer', () => setTimeout(nothing, 20), 'vi.useFakeTimers'],
  ['a timer of `node:timers`', () => after(nothing, 20), 'vi.useFakeTimers'],
  ['an interval', () => every(nothing, 20), 'vi.useFakeTimers'],
  ['a promise of a timer', () => wait(20), 'vi.useFakeTimers'],
  ['a timer as a promise', () => promisify(setTimeout)(20), 'vi.useFakeTimers'],
  ['a socket on every address', () => createSocket('udp4').bind(0), '127.0.0.1'],
  ['a server on every address', () => createServer().listen(0), '127.0.0.1'],
  ['a server on an address that the system chooses', () => createServer().listen(), '127.0.0.1'],
  ['an HTTP server on every address', () => createHttpServer().listen({ port: 0, host: '0.0.0.0' }), '127.0.0.1'],
])('%s is refused in the first tier, with the alternative', (_, work, alternative) => {
  verifies('architecture.tiers');
  expect(work).toThrow(alternative);
  expect(work).toThrow('*.system.test.ts');
});

test('a short timer and a server on loopback are allowed', async () => {
  verifies('architecture.tiers');
  await new Promise((resolve) => setTimeout(resolve, 1));
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  expect(server.listening).toBe(true);
  await new Promise((resolve) => server.close(resolve));
});

test.each<readonly [string, (ms: number, fired: () => void) => unknown]>([
  ['a time limit', (ms, fired) => AbortSignal.timeout(ms).addEventListener('abort', fired)],
  ['a delay', async (ms, fired) => delay(ms).then(fired)],
])('%s of the code under test passes in virtual time only', async (_, start) => {
  verifies('architecture.tiers');
  const fired = vi.fn<() => void>();
  start(20, fired);
  const until = Date.now() + 25;
  while (Date.now() < until) await new Promise((resolve) => setImmediate(resolve));
  expect(fired).not.toHaveBeenCalled();
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  start(60_000, fired);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(fired).toHaveBeenCalledTimes(1);
});
