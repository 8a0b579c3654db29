import { onAbort } from './abort.ts';

/** How a handler's run ended, or that we left before it did. */
export type Settled =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown }
  | { readonly kind: 'timeout' }
  /** The caller aborted; `end` is how the handler settled within the grace, absent when it is still running. */
  | { readonly kind: 'aborted'; readonly end?: 'value' | 'error' };

/** What one wait needs. */
export interface SettleOptions {
  readonly signal: AbortSignal;
  /** `0` or `Infinity`: no clock. */
  readonly timeoutMs: number;
  /** Aborts the handler's own signal. */
  readonly stop: (reason: unknown) => void;
  /** Hears that the handler was left behind, and gets a promise of its end that never rejects. */
  readonly onAbandoned: (end: Promise<{ readonly failed: boolean }>) => void;
}

/** How long an aborted handler has to settle before it counts as abandoned. */
const GRACE_MS = 20;
const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits for a handler's promise within a clock and the caller's signal. Never rejects, never waits longer; no timer or listener outlives it. */
export function settle(work: Promise<unknown>, options: SettleOptions): Promise<Settled> {
  return new Promise((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    let unlisten: (() => void) | undefined;
    let left = false;
    let aborted = false;

    const finish = (settled: Settled): void => {
      left = true;
      clearTimeout(timer);
      unlisten?.();
      resolve(settled);
    };
    const ended = (settled: Settled): void => {
      if (left) return;
      if (!aborted) finish(settled);
      else finish({ kind: 'aborted', end: settled.kind === 'value' ? 'value' : 'error' });
    };
    const leave = (settled: Settled): void => {
      if (left) return;
      finish(settled);
      options.onAbandoned(
        work.then(
          () => ({ failed: false }),
          () => ({ failed: true }),
        ),
      );
    };
    const onTimeout = (): void => {
      options.stop(new DOMException('The tool took too long.', 'TimeoutError'));
      leave({ kind: 'timeout' });
    };
    const onAborted = (): void => {
      if (left) return;
      aborted = true;
      clearTimeout(timer);
      options.stop(options.signal.reason);
      timer = setTimeout(() => leave({ kind: 'aborted' }), GRACE_MS);
    };
    const arm = (): void => {
      if (left) return;
      if (options.signal.aborted) return onAborted();
      unlisten = onAbort(options.signal, onAborted);
      if (options.timeoutMs > 0 && options.timeoutMs <= LONGEST_TIMER_MS)
        timer = setTimeout(onTimeout, options.timeoutMs);
    };

    work.then(
      (value) => ended({ kind: 'value', value }),
      (error: unknown) => ended({ kind: 'error', error }),
    );
    // A handler that is done within two microtasks costs neither a timer nor a listener.
    queueMicrotask(() => queueMicrotask(arm));
  });
}
