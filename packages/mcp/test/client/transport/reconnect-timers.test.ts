import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReconnectTimers } from '../../../src/client/transport/http-link.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a stream is resumed after the delay that the server names, never earlier and at most a tenth later', () => {
  for (let round = 0; round < 100; round += 1) {
    const reconnect = vi.fn<() => void>();
    createReconnectTimers().schedule(reconnect, 500);
    vi.advanceTimersByTime(499);
    expect(reconnect).not.toHaveBeenCalled();
    vi.advanceTimersByTime(51);
    expect(reconnect).toHaveBeenCalledOnce();
  }
});

test('what was cancelled or cleared is not resumed', () => {
  const timers = createReconnectTimers();
  const reconnect = vi.fn<() => void>();
  timers.schedule(reconnect, 10)();
  timers.schedule(reconnect, 10);
  timers.clear();
  vi.runAllTimers();
  expect(reconnect).not.toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('streams that end as soon as they are resumed are resumed ever more slowly, whatever the server asks for', () => {
  verifies('mcp.loops');
  const timers = createReconnectTimers();
  let count = 0;
  const end = (): void => {
    count += 1;
    timers.schedule(end, 1);
  };
  end();
  vi.advanceTimersByTime(600_000);
  expect(count).toBeGreaterThan(10);
  expect(count).toBeLessThan(90);
  timers.clear();
});

test('a stream that lasts is resumed after the delay that the server names, however often it ends', () => {
  const timers = createReconnectTimers();
  let count = 0;
  const live = (): void => {
    count += 1;
    setTimeout(() => timers.schedule(live, 100), 2000);
  };
  live();
  vi.advanceTimersByTime(100_000);
  expect(count).toBeGreaterThan(45);
  timers.clear();
});
