import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type Deadlines, createDeadlines } from '../../src/http/deadlines.ts';

const OFF = { connectMs: 0, firstByteMs: 0, idleMs: 0, totalMs: 0 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  // Spies on the fake timers first: a fake timer put back would outlive this file.
  vi.restoreAllMocks();
  vi.useRealTimers();
});

/** Begins at 0; `work` says when it does what. Returns which timeout ran out, and when. */
function expiry(timeouts: Partial<typeof OFF>, work: Record<number, (deadlines: Deadlines) => void>, waitedMs = 0) {
  const seen: [string, number][] = [];
  const start = performance.now();
  const deadlines = createDeadlines({ ...OFF, ...timeouts }, waitedMs, (timeout) => {
    seen.push([timeout, Math.round(performance.now() - start)]);
    deadlines.stop();
  });
  for (let at = 0; at <= 1000; at += 1) {
    work[at]?.(deadlines);
    vi.advanceTimersByTime(1);
  }
  deadlines.stop();
  expect(vi.getTimerCount()).toBe(0);
  return seen;
}

/** `work` at every such time. */
function every(ms: number, work: (deadlines: Deadlines) => void) {
  return Object.fromEntries(Array.from({ length: 100 }, (_, at) => [(at + 1) * ms, work]));
}

test.each([
  ['the first byte', { firstByteMs: 50 }, { 0: (it) => it.wait('firstByteMs') }, 'firstByteMs', 50],
  [
    'the first byte, with a shorter idle timeout',
    { firstByteMs: 90, idleMs: 20 },
    { 5: (it) => it.wait('firstByteMs') },
    'firstByteMs',
    95,
  ],
  [
    'the first byte, with a longer idle timeout',
    { firstByteMs: 20, idleMs: 90 },
    { 0: (it) => it.wait('firstByteMs') },
    'firstByteMs',
    20,
  ],
  [
    'the next event',
    { firstByteMs: 90, idleMs: 20 },
    { 0: (it) => it.wait('firstByteMs'), 60: (it) => it.wait('idleMs') },
    'idleMs',
    80,
  ],
  [
    'the next event, extended',
    { idleMs: 50 },
    { 0: (it) => it.wait('idleMs'), 40: (it) => it.extend(true), 80: (it) => it.extend(true) },
    'idleMs',
    130,
  ],
  [
    'the next event, extended only without content,',
    { idleMs: 10 },
    { 0: (it) => it.wait('idleMs'), ...every(5, (it) => it.extend(false)) },
    'quiet',
    200,
  ],
  [
    'the next event, extended without content and between that by content,',
    { idleMs: 10 },
    { 0: (it) => it.wait('idleMs'), ...every(5, (it) => it.extend(false)), 150: (it) => it.extend(true) },
    'quiet',
    350,
  ],
  [
    'the next event, extended without content, and not read for a while,',
    { idleMs: 10 },
    {
      0: (it) => it.wait('idleMs'),
      ...every(5, (it) => it.extend(false)),
      100: (it) => it.suspend(),
      200: (it) => it.wait('idleMs'),
    },
    'quiet',
    300,
  ],
  ['the whole reply, with nothing else waited for', { totalMs: 70 }, {}, 'totalMs', 70],
  [
    'the whole reply, while events come',
    { idleMs: 30, totalMs: 70 },
    { 0: (it) => it.wait('idleMs'), 25: (it) => it.extend(true), 50: (it) => it.extend(true) },
    'totalMs',
    70,
  ],
  [
    'the whole reply, while nobody reads',
    { idleMs: 30, totalMs: 70 },
    { 0: (it) => it.wait('idleMs'), 10: (it) => it.suspend() },
    'totalMs',
    70,
  ],
  [
    'the next event, after nobody read for long',
    { idleMs: 30 },
    { 0: (it) => it.wait('idleMs'), 10: (it) => it.suspend(), 500: (it) => it.wait('idleMs') },
    'idleMs',
    530,
  ],
  [
    'the whole reply, its first timeout being off',
    { idleMs: 30, totalMs: 70 },
    { 0: (it) => it.wait('firstByteMs') },
    'totalMs',
    70,
  ],
] as [string, Partial<typeof OFF>, Record<number, (deadlines: Deadlines) => void>, string, number][])(
  'the timeout for %s expires when it should, once',
  (_name, timeouts, work, timeout, at) => {
    if (timeout === 'quiet') verifies('providers.timeouts.quiet');
    const [seen, ...more] = expiry(timeouts, work);
    expect(seen?.[0]).toBe(timeout);
    // Timers have whole milliseconds.
    expect(Math.abs((seen?.[1] ?? 0) - at)).toBeLessThanOrEqual(2);
    expect(more).toEqual([]);
  },
);

test.each([
  ['all are off', OFF, { 0: (it) => it.wait('firstByteMs'), 5: (it) => it.wait('idleMs'), 6: (it) => it.extend(true) }],
  ['nothing is waited for', { firstByteMs: 20, idleMs: 20 }, { 0: (it) => it.extend(true) }],
  ['nobody reads', { firstByteMs: 20, idleMs: 20 }, { 0: (it) => it.wait('firstByteMs'), 10: (it) => it.suspend() }],
  ['the reply moves on', { idleMs: 600 }, { 0: (it) => it.wait('idleMs'), 500: (it) => it.extend(true) }],
  ['they were stopped', { idleMs: 20, totalMs: 30 }, { 0: (it) => it.wait('idleMs'), 10: (it) => it.stop() }],
] as [string, Partial<typeof OFF>, Record<number, (deadlines: Deadlines) => void>][])(
  'no timeout expires where %s',
  (_name, timeouts, work) => {
    expect(expiry(timeouts, work)).toEqual([]);
  },
);

test('what was waited before counts for the whole reply, and a timeout that has already passed still fires', () => {
  expect(expiry({ totalMs: 70 }, {}, 40)[0]?.[1]).toBeLessThanOrEqual(32);
  expect(expiry({ totalMs: 70 }, {}, 4000)[0]?.[1]).toBeLessThanOrEqual(3);
});

test('a quick reply costs one timer', () => {
  const set = vi.spyOn(globalThis, 'setTimeout');
  const deadlines = createDeadlines({ connectMs: 0, firstByteMs: 300, idleMs: 120, totalMs: 0 }, 0, () => undefined);
  deadlines.wait('firstByteMs');
  vi.advanceTimersByTime(50);
  deadlines.wait('idleMs');
  for (let at = 0; at < 10; at += 1) {
    deadlines.extend(true);
    vi.advanceTimersByTime(5);
  }
  deadlines.stop();
  expect(set).toHaveBeenCalledTimes(1);
});

test('the longest timeout does not overflow', () => {
  const longest = 2_147_483_647;
  const set = vi.spyOn(globalThis, 'setTimeout');
  for (let at = 0; at < 200; at += 1) {
    vi.spyOn(performance, 'now').mockReturnValue(100 + 0.123_456_7 * at);
    const deadlines = createDeadlines({ ...OFF, firstByteMs: longest }, 0, () => undefined);
    deadlines.wait('firstByteMs');
    deadlines.stop();
  }
  expect(set).toHaveBeenCalledTimes(200);
  expect(Math.max(...set.mock.calls.map(([, ms]) => ms ?? 0))).toBe(longest);
});
