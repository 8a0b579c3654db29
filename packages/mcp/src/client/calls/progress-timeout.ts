import { MAX_TIMER_MS } from '@kernel/internal';

export interface ProgressTimeout {
  /** Aborts when the timeout has passed; the SDK reports that as `REQUEST_TIMEOUT`. */
  readonly signal: AbortSignal;
  restart(): void;
  stop(): void;
}

/**
 * Starts a timeout; 0 means no timeout. It counts from its start, its last restart or `pausedUntilMs()` (of `performance.now()`), whichever is
 * latest, and ends `maxMs` after its start in any case, if that is not 0.
 */
export function startProgressTimeout(timeoutMs: number, maxMs: number, pausedUntilMs: () => number): ProgressTimeout {
  const controller = new AbortController();
  const endMs = maxMs > 0 ? performance.now() + maxMs : Infinity;
  let fromMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const remainingMs = (): number =>
    Math.min(endMs, timeoutMs > 0 ? Math.max(fromMs, pausedUntilMs()) + timeoutMs : Infinity) - performance.now();
  const wait = (): void => {
    const ms = remainingMs();
    if (ms <= 0) controller.abort(new Error('the timeout of the call has passed'));
    else if (ms < Infinity) timer = setTimeout(wait, Math.min(Math.ceil(ms), MAX_TIMER_MS));
  };
  wait();
  return {
    signal: controller.signal,
    // The timer notices when it fires: progress may come often.
    restart: () => void (fromMs = performance.now()),
    stop: () => clearTimeout(timer),
  };
}
