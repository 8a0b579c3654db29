import type { ResolvedTimeouts } from './timeouts.ts';

/** A phase of a request that has a timeout of its own. */
type Phase = 'firstByteMs' | 'idleMs';

/** The deadlines of one request: one for the current phase, one for the whole. */
export interface Deadlines {
  /** Starts a phase now; replaces the one before. */
  wait(phase: Phase): void;
  /** Moves the deadline of the current phase to its full length from now. Does nothing without a phase. */
  extend(): void;
  /** Ends the current phase, because the consumer does not read. The total deadline stays. */
  suspend(): void;
  /** Clears the timer. */
  stop(): void;
}

/**
 * Creates the deadlines of one request. The total time starts at once; `elapsedMs` of it have already passed. One timer serves all of
 * them: it is set for the earliest deadline that could apply and checks them all when it fires, so a quick reply costs one timer.
 */
export function createDeadlines(
  timeouts: ResolvedTimeouts,
  elapsedMs: number,
  onExpiry: (timeout: Phase | 'totalMs') => void,
): Deadlines {
  const { firstByteMs, idleMs, totalMs } = timeouts;
  const shortestPhaseMs = Math.min(firstByteMs || Infinity, idleMs || Infinity);
  const totalDeadline = totalMs === 0 ? Infinity : performance.now() + Math.max(1, totalMs - elapsedMs);
  let phase: Phase | undefined;
  let phaseDeadline = Infinity;
  let timer: NodeJS.Timeout | undefined;
  let timerDeadline = Infinity;

  function onTimer(): void {
    timer = undefined;
    const now = performance.now();
    // A timer may fire a fraction of a millisecond early.
    if (phase !== undefined && phaseDeadline - now < 1) onExpiry(phase);
    else if (totalDeadline - now < 1) onExpiry('totalMs');
    else setTimer(Math.min(phaseDeadline, totalDeadline), now);
  }

  function setTimer(deadline: number, now: number): void {
    clearTimeout(timer);
    timerDeadline = deadline;
    // Truncated, so that the longest timeout does not exceed what a timer takes by a fraction.
    timer = deadline === Infinity ? undefined : setTimeout(onTimer, Math.trunc(deadline - now));
  }

  setTimer(totalDeadline, performance.now());
  return {
    wait(next) {
      const now = performance.now();
      phase = next;
      phaseDeadline = now + (timeouts[next] || Infinity);
      if (timer === undefined || timerDeadline > phaseDeadline)
        setTimer(Math.min(now + shortestPhaseMs, totalDeadline), now);
    },
    extend() {
      if (phase !== undefined) phaseDeadline = performance.now() + (timeouts[phase] || Infinity);
    },
    suspend() {
      phase = undefined;
      phaseDeadline = Infinity;
    },
    stop() {
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
