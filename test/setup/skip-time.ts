import { afterEach, beforeEach, vi } from 'vitest';

/** Makes the timers of each test in a file fire as soon as nothing else is left to do, in the order of their times. */
export function skipTime(): void {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }).setTimerTickMode('nextTimerAsync');
  });
  afterEach(() => void vi.useRealTimers());
}
