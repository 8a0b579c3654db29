/**
 * Runs before every test file of `pnpm test`, so that its outcome doesn't depend on the machine. It refuses processes,
 * workers, processor time, time that a test measures, real timers of `SHORTEST_MS` or more, and servers that listen
 * anywhere but on loopback; each error names the alternative. A file fails that leaves a server or a connection open,
 * or a timer set.
 *
 * Such a timer that the code under test sets, usually a time limit, is accepted and never fires: a test that waits for
 * it moves virtual time with `vi.useFakeTimers`. One that forgets to hangs until its own limit, and then learns which
 * timer it waited for.
 */
import childProcess from 'node:child_process';
import dgram from 'node:dgram';
import { syncBuiltinESMExports } from 'node:module';
import { Server } from 'node:net';
import timers from 'node:timers';
import timersPromises, { setImmediate as nextTurn } from 'node:timers/promises';
import { promisify } from 'node:util';
import workerThreads from 'node:worker_threads';
import { afterAll, beforeEach, onTestFailed } from 'vitest';

const SHORTEST_MS = 20;
/** The longest delay that Node accepts: 25 days. */
const NEVER_MS = 2 ** 31 - 1;
const LOOPBACK = /^(?:(?:::ffff:)?127(?:\.\d{1,3}){3}|::1|localhost)$/i;
/** Event-loop turns in which the connections of a file close: 3 are enough on an idle machine, and all take seconds. */
const MAX_CLOSING_TURNS = 1_000_000;
const PROCESSES = ['spawn', 'spawnSync', 'exec', 'execSync', 'execFile', 'execFileSync', 'fork'] as const;
/** Below it, tests and their helpers are in these folders. */
const ROOT = new URL('../../', import.meta.url).href;
const TESTS = /^(?:(?:packages|apps)\/[^/]+\/|scripts\/)?test\/(?!setup\/first-tier)/;
const VIRTUAL_TIME = 'Use vi.useFakeTimers and vi.advanceTimersByTimeAsync';

/** A timer that was accepted and won't fire. */
interface UnfiredTimer {
  readonly timer: NodeJS.Timeout;
  readonly ms: number;
  /** Where it was set: its stack is only formatted if it is shown. */
  readonly set: Error;
}

/** Shared by the files of a process, which import this file once each. */
const INSTALLED = Symbol.for('kernel.firstTier');
const shared = globalThis as { [INSTALLED]?: UnfiredTimer[] };
const unfired = shared[INSTALLED] ?? install();

beforeEach(() => {
  unfired.length = 0;
  onTestFailed(({ task }) => {
    const waits = unfired.filter(({ timer }) => Reflect.get(timer, '_destroyed') !== true);
    if (waits.length === 0 || task.result?.errors?.some(({ message }) => message.startsWith('Test timed out')) !== true)
      return;
    const lines = waits.slice(0, 5).map(({ ms, set }) => `  ${ms} ms,${set.stack?.split('\n')[1] ?? ''}`);
    throw new Error(`Real timers never fire in this tier. ${VIRTUAL_TIME}. Set and not cleared:\n${lines.join('\n')}`);
  });
});

// A connection that closes lets undici set a timer, and a timer that fires may set another. Each would be one more
// under the virtual clock of the next file.
afterAll(async () => {
  for (let turn = 0; ; turn += 1) {
    const open = process.getActiveResourcesInfo();
    const connections = open.filter((name) => name.startsWith('TCP')).length;
    // Vitest has one timer.
    const timeouts = open.filter((name) => name === 'Timeout').length - 1;
    if (connections === 0 && timeouts <= 0) return;
    if (turn === MAX_CLOSING_TURNS)
      throw new Error(`The test file left ${connections} servers or connections open, and ${timeouts} timers set.`);
    await nextTurn();
  }
});

/** Replaces what depends on the machine, once for each process. Returns the list of timers that were accepted. */
function install(): UnfiredTimer[] {
  const accepted: UnfiredTimer[] = [];
  shared[INSTALLED] = accepted;
  for (const name of PROCESSES)
    Reflect.set(childProcess, name, refusal(`child_process.${name}`, 'Use in-memory streams or a fake of the port'));
  const { prototype } = childProcess.ChildProcess;
  Reflect.set(prototype, 'spawn', refusal('a process', 'Use in-memory streams or a fake of the port'));
  Reflect.set(workerThreads, 'Worker', refusal('a worker', 'Use a fake of the port'));
  for (const name of ['cpuUsage', 'threadCpuUsage', 'resourceUsage'])
    Reflect.set(process, name, refusal(`process.${name}`, 'Count work in *growth.slow.test.ts'));
  const now = performance.now.bind(performance);
  performance.now = function measured() {
    // Helpers may give up after a time.
    if (callerOf(callOf(measured)).includes('.test.ts'))
      refusal('measured time', 'Count work in *growth.slow.test.ts, or use vi.useFakeTimers')();
    return now();
  };
  const { setInterval: every, setTimeout: after } = globalThis;
  timers.setTimeout = globalThis.setTimeout = Object.assign(unlessLong(after, accepted), after);
  timers.setInterval = globalThis.setInterval = Object.assign(unlessLong(every, accepted), every);
  const { scheduler } = timersPromises;
  timersPromises.setTimeout = unlessLongPromise(timersPromises.setTimeout);
  timersPromises.setInterval = unlessLongPromise(timersPromises.setInterval);
  const wait = scheduler.wait.bind(scheduler);
  scheduler.wait = unlessLongPromise((ms = 0, ...rest: [options?: { signal?: AbortSignal }]) => wait(ms, ...rest));
  Object.defineProperty(setTimeout, promisify.custom, { value: timersPromises.setTimeout });
  Atomics.wait = refusal('Atomics.wait', VIRTUAL_TIME);
  // Node's own would fire, and virtual time would not move it.
  AbortSignal.timeout = (ms) => {
    const controller = new AbortController();
    setTimeout(() => {
      controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError'));
    }, ms).unref();
    return controller.signal;
  };
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const { listen } = Server.prototype;
  Server.prototype.listen = function listenOnLoopback(this: Server, ...args: unknown[]) {
    const [first, second] = args;
    const options = typeof first === 'object' && first !== null ? first : { port: first, host: second };
    const isPath =
      Reflect.get(options, 'path') !== undefined ||
      'fd' in options ||
      (typeof first === 'string' && !/^\d+$/.test(first));
    if (!isPath) refuseBeyondLoopback(Reflect.get(options, 'host'));
    return Reflect.apply(listen, this, args) as Server;
  } as typeof listen;
  // oxlint-disable-next-line typescript/unbound-method -- called with its own `this` below
  const { bind } = dgram.Socket.prototype;
  dgram.Socket.prototype.bind = function bindToLoopback(this: dgram.Socket, ...args: unknown[]) {
    const [first, second] = args;
    refuseBeyondLoopback(typeof first === 'object' && first !== null ? Reflect.get(first, 'address') : second);
    return Reflect.apply(bind, this, args) as dgram.Socket;
  };
  syncBuiltinESMExports();
  return accepted;
}

/** A function that refuses what depends on the machine. */
function refusal(what: string, instead: string): () => never {
  return function refused() {
    throw new Error(
      `This tier refuses ${what}. ${instead}, or move the test to *.system.test.ts, which \`pnpm test:all\` runs.`,
    );
  };
}

function refuseBeyondLoopback(host: unknown): void {
  if (!LOOPBACK.test(String(host))) refusal('a server that is not on loopback', "Listen on '127.0.0.1'")();
}

/** An error that shows where a function was called. */
function callOf(called: (...args: never[]) => unknown): Error {
  const call = new Error('called');
  Error.captureStackTrace(call, called);
  return call;
}

/** The place that called, from the folder of the repository on. */
function callerOf({ stack = '' }: Error): string {
  const caller = stack.split('\n')[1] ?? '';
  return caller.slice(caller.indexOf(ROOT) + ROOT.length);
}

/** A timer function of `node:timers/promises` that refuses long timers. */
function unlessLongPromise<Result, Rest extends unknown[]>(
  start: (ms?: number, ...rest: Rest) => Result,
): (ms?: number, ...rest: Rest) => Result {
  return (ms = 1, ...rest) => {
    if (ms >= SHORTEST_MS) refusal(`a real timer of ${ms} ms`, VIRTUAL_TIME)();
    return start(ms, ...rest);
  };
}

/** A timer function that refuses long timers of tests, and accepts those of the code under test without ever firing. */
function unlessLong<Start extends (...args: never[]) => NodeJS.Timeout>(start: Start, accepted: UnfiredTimer[]): Start {
  const call = start as unknown as (callback: unknown, ms?: number, ...args: unknown[]) => NodeJS.Timeout;
  const guarded = (callback: unknown, ms?: number, ...args: unknown[]): NodeJS.Timeout => {
    if (!(Number(ms) >= SHORTEST_MS)) return call(callback, ms, ...args);
    const set = callOf(guarded);
    if (TESTS.test(callerOf(set))) refusal(`a real timer of ${ms} ms`, VIRTUAL_TIME)();
    const timer = call(() => undefined, NEVER_MS).unref();
    accepted.push({ timer, ms: Number(ms), set });
    return timer;
  };
  return guarded as unknown as Start;
}
