import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReconnectTimers } from '../../../src/client/transport/reconnect-timers.ts';

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
