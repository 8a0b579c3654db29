import { MAX_TIMER_MS } from '@kernel/internal';

/** A timeout that progress restarts. */
export interface ProgressTimeout {
  /** Aborts when the timeout has passed; the SDK reports that as `REQUEST_TIMEOUT`. */
  readonly signal: AbortSignal;
  /** Starts the timeout again. */
  restart(): void;
  /** Clears the timer. */
  stop(): void;
}

/** Starts a timeout; 0 means no timeout. It counts from its start, its last restart or `pausedUntilMs()` (of `performance.now()`), whichever is latest. */
export function startProgressTimeout(timeoutMs: number, pausedUntilMs: () => number): ProgressTimeout {
  const controller = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number): void => {
    timer = setTimeout(expire, Math.min(ms, MAX_TIMER_MS));
  };
  const expire = (): void => {
    const remainingMs = pausedUntilMs() + timeoutMs - performance.now();
    if (remainingMs > 0) wait(remainingMs);
    else controller.abort(new Error('the timeout of the call has passed'));
  };
  const stop = (): void => clearTimeout(timer);
  const restart = (): void => {
    stop();
    if (timeoutMs > 0) wait(timeoutMs);
  };
  restart();
  return { signal: controller.signal, restart, stop };
}
