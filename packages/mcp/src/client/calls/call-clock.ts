import { inNextTurn, MAX_TIMER_MS } from '@kernel/internal';

/**
 * Starts a timeout; 0 means no timeout. It counts from its start, its last restart or `pausedUntilMs()` (of
 * `performance.now()`), whichever is latest, and ends `maxMs` after its start in any case, if that is not 0.
 */
export function startProgressTimeout(timeoutMs: number, maxMs: number, pausedUntilMs: () => number) {
  const controller = new AbortController();
  const signal: AbortSignal = controller.signal;
  const endMs = maxMs > 0 ? performance.now() + maxMs : Infinity;
  let fromMs = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const remainingMs = (): number =>
    Math.min(endMs, timeoutMs > 0 ? Math.max(fromMs, pausedUntilMs()) + timeoutMs : Infinity) - performance.now();
  let isStopped = false;
  const wait = (): void => {
    const ms = remainingMs();
    if (ms <= 0) inNextTurn(expire);
    else if (ms < Infinity) timer = setTimeout(wait, Math.min(Math.ceil(ms), MAX_TIMER_MS));
  };
  /** Runs after pending input was read: if the program was stopped for the timeout, the result may have come. */
  const expire = (): void => {
    if (isStopped) return;
    if (remainingMs() > 0) wait();
    else controller.abort(new Error('the timeout of the call has passed'));
  };
  wait();
  return {
    /** Aborts when the timeout has passed; the SDK reports that as `REQUEST_TIMEOUT`. */
    signal,
    // The timer notices when it fires: progress may come often.
    restart: (): void => void (fromMs = performance.now()),
    stop: (): void => {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** Knows when a person was asked: that time does not count for the timeout of a call. */
export type AskClock = ReturnType<typeof createAskClock>;

export function createAskClock() {
  let open = 0;
  let lastMs = -Infinity;
  return {
    async ask<Answer>(question: () => Answer | Promise<Answer>): Promise<Answer> {
      open += 1;
      try {
        return await question();
      } finally {
        open -= 1;
        lastMs = performance.now();
      }
    },
    /** In ms of `performance.now()`: the present while a question is open, `-Infinity` if there was none. */
    lastAskedMs: (): number => (open > 0 ? performance.now() : lastMs),
  };
}
