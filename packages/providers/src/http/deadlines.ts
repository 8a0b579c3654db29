import { inNextTurn } from '@kernel/internal';
import { MAX_QUIET, type ResolvedTimeouts } from './timeouts.ts';

type Phase = 'firstByteMs' | 'idleMs';

/** One timer serves all deadlines: it is set for the earliest that could apply and checks them all when it fires, so a quick reply costs one timer. */
export function createDeadlines(
  timeouts: ResolvedTimeouts,
  elapsedMs: number,
  onExpiry: (timeout: Phase | 'totalMs' | 'quiet') => void,
) {
  const { firstByteMs, idleMs, totalMs } = timeouts;
  const shortestPhaseMs = Math.min(firstByteMs || Infinity, idleMs || Infinity);
  const totalDeadline = totalMs === 0 ? Infinity : performance.now() + Math.max(1, totalMs - elapsedMs);
  let phase: Phase | undefined;
  let phaseDeadline = Infinity;
  /** When the current wait began, and how long the waits before it lasted since there was content. */
  let waitingSince = 0;
  let quietMs = 0;
  let isQuiet = false;
  let timer: NodeJS.Timeout | undefined;
  let timerDeadline = Infinity;
  let isStopped = false;

  function onTimer(): void {
    timer = undefined;
    const now = performance.now();
    if (isPast(Math.min(phaseDeadline, totalDeadline), now)) inNextTurn(expire);
    else setTimer(Math.min(phaseDeadline, totalDeadline), now);
  }

  /** Runs after what has arrived was read: in a program that was stopped for longer than a timeout, the reply may be there. */
  function expire(): void {
    if (isStopped) return;
    const now = performance.now();
    if (phase !== undefined && isPast(phaseDeadline, now)) onExpiry(isQuiet ? 'quiet' : phase);
    else if (isPast(totalDeadline, now)) onExpiry('totalMs');
    else if (timer === undefined) setTimer(Math.min(phaseDeadline, totalDeadline), now);
  }

  function setTimer(deadline: number, now: number): void {
    clearTimeout(timer);
    timerDeadline = deadline;
    // Truncated, so that the longest timeout does not exceed what a timer takes by a fraction.
    timer = deadline === Infinity ? undefined : setTimeout(onTimer, Math.trunc(deadline - now));
  }

  function startWait(current: Phase, now: number): void {
    const ms = timeouts[current] || Infinity;
    const leftMs = MAX_QUIET * ms - quietMs;
    isQuiet = leftMs < ms;
    waitingSince = now;
    phaseDeadline = now + Math.min(ms, leftMs);
  }

  function endWait(now: number): void {
    if (phase !== undefined) quietMs += now - waitingSince;
  }

  setTimer(totalDeadline, performance.now());
  return {
    wait(next: Phase) {
      const now = performance.now();
      phase = next;
      startWait(next, now);
      if (timer === undefined || timerDeadline > phaseDeadline)
        setTimer(Math.min(now + shortestPhaseMs, totalDeadline), now);
    },
    /** Waits that bring no content share a limit: `MAX_QUIET` times one of them. */
    extend(hasContent: boolean) {
      const now = performance.now();
      endWait(now);
      if (hasContent) quietMs = 0;
      if (phase !== undefined) startWait(phase, now);
    },
    /** Called while the consumer does not read. The total deadline still applies. */
    suspend() {
      endWait(performance.now());
      phase = undefined;
      phaseDeadline = Infinity;
    },
    stop() {
      isStopped = true;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}

/** A timer may fire a fraction of a millisecond early. */
const isPast = (deadline: number, now: number): boolean => deadline - now < 1;

export type Deadlines = ReturnType<typeof createDeadlines>;
