import { getEventListeners } from 'node:events';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type ConcurrencyLimit, createSemaphore, type Release, type Semaphore } from '../../src/call/semaphore.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

const a: ConcurrencyLimit = { id: 'a', max: 1 };
const b: ConcurrencyLimit = { id: 'b', max: 1 };
const all: ConcurrencyLimit = { id: 'all', max: 2, shared: true };

/** Asks for the limits and notes in `log` what came of it. */
function ask(
  semaphore: Semaphore,
  log: string[],
  name: string,
  limits: readonly ConcurrencyLimit[],
  { signal = new AbortController().signal, timeoutMs = 0 } = {},
): { release?: Release } {
  const held: { release?: Release } = {};
  const note = (outcome: Release | 'aborted' | 'timeout'): void => {
    if (typeof outcome === 'function') held.release = outcome;
    log.push(typeof outcome === 'function' ? name : `${name} ${outcome}`);
  };
  const outcome = semaphore.acquire(limits, signal, timeoutMs);
  if (typeof outcome === 'function') note(outcome);
  else void outcome.then(note);
  return held;
}

const settle = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

test('what is free is taken at once, up to its maximum, and the next in line starts with each release', async () => {
  verifies('tools.execute.concurrency');
  const log: string[] = [];
  const semaphore = createSemaphore();
  const two = { id: 'two', max: 2 };
  const [first, second] = ['1', '2'].map((name) => ask(semaphore, log, name, [two]));
  ask(semaphore, log, '3', [two]);
  ask(semaphore, log, '4', [two]);
  expect(log).toEqual(['1', '2']);
  first?.release?.();
  await settle();
  expect(log).toEqual(['1', '2', '3']);
  first?.release?.();
  await settle();
  expect(log, 'a second release has no effect').toEqual(['1', '2', '3']);
  second?.release?.();
  await settle();
  expect(log).toEqual(['1', '2', '3', '4']);
});

test('a call that would overtake one that waits for the same limit waits behind it, another does not', async () => {
  verifies('tools.execute.concurrency');
  const log: string[] = [];
  const semaphore = createSemaphore();
  const holder = ask(semaphore, log, 'holds a', [a]);
  ask(semaphore, log, 'a and b', [a, b]);
  ask(semaphore, log, 'b', [b]);
  ask(semaphore, log, 'all', [all]);
  await settle();
  expect(log).toEqual(['holds a', 'all']);
  holder.release?.();
  await settle();
  expect(log).toEqual(['holds a', 'all', 'a and b']);
});

test('a release of something else starts nobody who would take what an earlier waiter waits for', async () => {
  verifies('tools.execute.concurrency');
  const log: string[] = [];
  const semaphore = createSemaphore();
  const holder = ask(semaphore, log, 'holds a', [a]);
  const other = ask(semaphore, log, 'holds c', [{ id: 'c', max: 1 }]);
  ask(semaphore, log, 'a and b', [a, b]);
  ask(semaphore, log, 'b and d', [b, { id: 'd', max: 1 }]);
  ask(semaphore, log, 'c', [{ id: 'c', max: 1 }]);
  other.release?.();
  await settle();
  expect(log).toEqual(['holds a', 'holds c', 'c']);
  holder.release?.();
  await settle();
  expect(log).toEqual(['holds a', 'holds c', 'c', 'a and b']);
});

test('a call passes those that wait for other limits, while the shared one has room', async () => {
  verifies('tools.execute.concurrency');
  const log: string[] = [];
  const semaphore = createSemaphore();
  const many: ConcurrencyLimit = { ...all, max: 3 };
  ask(semaphore, log, 'a', [many, a]);
  ask(semaphore, log, 'b', [many, b]);
  ask(semaphore, log, 'a again', [many, a]);
  ask(semaphore, log, 'b again', [many, b]);
  ask(semaphore, log, 'c', [many, { id: 'c', max: 1 }]);
  await settle();
  expect(log).toEqual(['a', 'b', 'c']);
  // Neither passes the first that waits for b.
  ask(semaphore, log, 'b at last', [{ id: 'b', max: 5 }]);
  await settle();
  expect(log).toEqual(['a', 'b', 'c']);
});

test('a waiter keeps the limits that it wants from those behind it, but not the shared one', async () => {
  verifies('tools.execute.concurrency');
  const log: string[] = [];
  const semaphore = createSemaphore();
  const one: ConcurrencyLimit = { ...all, max: 1 };
  const x = ask(semaphore, log, 'x', [one, a]);
  ask(semaphore, log, 'y', [one, a]);
  ask(semaphore, log, 'z', [one, b]);
  expect(log).toEqual(['x']);
  // Only the shared limit is free now: y still waits for a, so z may go.
  x.release?.(true);
  await settle();
  expect(log).toEqual(['x', 'z']);
  x.release?.();
  await settle();
  expect(log, 'the shared limit is held by z').toEqual(['x', 'z']);
});

test('a full shared limit holds back every waiter, and its release starts them in order', async () => {
  verifies('tools.execute.concurrency');
  const log: string[] = [];
  const semaphore = createSemaphore();
  const one: ConcurrencyLimit = { ...all, max: 1 };
  const first = ask(semaphore, log, '1', [one]);
  const second = ask(semaphore, log, '2', [one, a]);
  ask(semaphore, log, '3', [one, b]);
  first.release?.();
  await settle();
  expect(log).toEqual(['1', '2']);
  second.release?.();
  await settle();
  expect(log).toEqual(['1', '2', '3']);
});

test.each(['aborted', 'timeout'] as const)(
  'a waiter that gives up (%s) no longer holds back those behind it',
  async (how) => {
    verifies('tools.execute.concurrency');
    const log: string[] = [];
    const semaphore = createSemaphore();
    const stop = new AbortController();
    // Not all timers of the process: what another file has begun may set one.
    const [set, cleared] = [vi.spyOn(globalThis, 'setTimeout'), vi.spyOn(globalThis, 'clearTimeout')];
    ask(semaphore, log, 'holds a', [a]);
    ask(semaphore, log, 'a and b', [a, b], { signal: stop.signal, timeoutMs: how === 'timeout' ? 50 : 500 });
    const [timer] = set.mock.results;
    ask(semaphore, log, 'b', [b]);
    await vi.advanceTimersByTimeAsync(49);
    expect(log).toEqual(['holds a']);
    if (how === 'aborted') stop.abort();
    await vi.advanceTimersByTimeAsync(1);
    expect(log.toSorted()).toEqual([`a and b ${how}`, 'b', 'holds a']);
    expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
    expect(cleared).toHaveBeenCalledWith(timer?.value);
  },
);

test('a signal that has aborted gets what is free, and does not wait for the rest', async () => {
  const log: string[] = [];
  const semaphore = createSemaphore();
  const signal = AbortSignal.abort();
  ask(semaphore, log, 'free', [a], { signal });
  ask(semaphore, log, 'taken', [a], { signal });
  await settle();
  expect(log).toEqual(['free', 'taken aborted']);
});

test.each([0, Infinity, 2 ** 31])(
  'a wait with a timeout of %d sets no timer, and one that started leaves none',
  async (timeoutMs) => {
    verifies('tools.clocks');
    const log: string[] = [];
    const semaphore = createSemaphore();
    const { signal } = new AbortController();
    const holder = ask(semaphore, log, '1', [a]);
    ask(semaphore, log, '2', [a], { signal, timeoutMs });
    expect(vi.getTimerCount()).toBe(0);
    ask(semaphore, log, '3', [b], { signal, timeoutMs: 5 });
    holder.release?.();
    await settle();
    expect([log, vi.getTimerCount(), getEventListeners(signal, 'abort').length]).toEqual([['1', '3', '2'], 0, 0]);
  },
);

test('a timer of the longest delay is a timeout, and ends with the wait', async () => {
  const log: string[] = [];
  const semaphore = createSemaphore();
  const holder = ask(semaphore, log, '1', [a]);
  ask(semaphore, log, '2', [a], { timeoutMs: 2 ** 31 - 1 });
  expect(vi.getTimerCount()).toBe(1);
  holder.release?.();
  await settle();
  expect([log, vi.getTimerCount()]).toEqual([['1', '2'], 0]);
});
