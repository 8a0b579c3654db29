import type { ClockSettings } from './timeouts.ts';

/** What a request waits for under a clock. */
type Wait = 'firstByteMs' | 'idleMs';

/** The clocks of one request. */
export interface Deadlines {
  /** Begins to wait, from now on, in place of what was waited for before. */
  wait(clock: Wait): void;
  /** Puts off the end of what is waited for; nothing when nothing is. */
  putOff(): void;
  /** Nothing is waited for: the reader does not read. The total time goes on. */
  rest(): void;
  stop(): void;
}

/**
 * Creates the clocks of one request; the total time begins at once, `waitedMs` of it are over. One timer serves them all: it is set for the
 * shortest time that may come and looks at the deadlines when it rings, so that a reply that comes soon costs one timer.
 */
export function createDeadlines(
  timeouts: ClockSettings,
  waitedMs: number,
  onExpiry: (clock: Wait | 'totalMs') => void,
): Deadlines {
  const { firstByteMs, idleMs, totalMs } = timeouts;
  const shortestMs = Math.min(firstByteMs || Infinity, idleMs || Infinity);
  const totalEnd = totalMs === 0 ? Infinity : performance.now() + Math.max(1, totalMs - waitedMs);
  let waiting: Wait | undefined;
  let waitEnd = Infinity;
  let timer: NodeJS.Timeout | undefined;
  let ringsAt = Infinity;

  function ring(): void {
    timer = undefined;
    const now = performance.now();
    // A timer may ring a part of a millisecond early.
    if (waiting !== undefined && waitEnd - now < 1) onExpiry(waiting);
    else if (totalEnd - now < 1) onExpiry('totalMs');
    else ringAt(Math.min(waitEnd, totalEnd), now);
  }

  function ringAt(end: number, now: number): void {
    clearTimeout(timer);
    ringsAt = end;
    // Whole, so that the longest time is not a hair more than a timer takes.
    timer = end === Infinity ? undefined : setTimeout(ring, Math.trunc(end - now));
  }

  ringAt(totalEnd, performance.now());
  return {
    wait(clock) {
      const now = performance.now();
      const ms = timeouts[clock] || Infinity;
      waiting = clock;
      waitEnd = now + ms;
      if (timer === undefined || ringsAt > waitEnd) ringAt(Math.min(now + shortestMs, totalEnd), now);
    },
    putOff() {
      if (waiting !== undefined) waitEnd = performance.now() + (timeouts[waiting] || Infinity);
    },
    rest() {
      waiting = undefined;
      waitEnd = Infinity;
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
