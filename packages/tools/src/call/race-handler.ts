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
  /** Called once, with the end. */
  readonly onSettled: (settled: Settled) => void;
  /** Called before `onSettled` when the handler is left behind, with a promise of its end that never rejects. */
  readonly onAbandoned: (end: Promise<{ readonly failed: boolean }>) => void;
}

/** How long an aborted handler has to settle before it counts as abandoned. */
const GRACE_MS = 20;
/** A longer timer would fire at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Waits for a handler's promise within a clock and the caller's signal, and no longer. No timer or listener outlives it. */
export function settle(work: Promise<unknown>, options: SettleOptions): void {
  let over = false;
  let watch: Watch | undefined;
  const end = (settled: Settled): void => {
    if (over) return;
    over = true;
    if (watch === undefined) options.onSettled(settled);
    else
      options.onSettled(
        watch.close() ? { kind: 'aborted', end: settled.kind === 'value' ? 'value' : 'error' } : settled,
      );
  };
  const leave = (settled: Settled): void => {
    if (over) return;
    over = true;
    watch?.close();
    const left = work.then(
      () => ({ failed: false }),
      () => ({ failed: true }),
    );
    options.onAbandoned(left);
    options.onSettled(settled);
  };
  work.then(
    (value) => end({ kind: 'value', value }),
    (error: unknown) => end({ kind: 'error', error }),
  );
  // A handler that is done by now costs neither a timer nor a listener.
  queueMicrotask(() => {
    if (!over) watch = createWatch(options, leave);
  });
}

interface Watch {
  /** Takes timer and listener away; says whether the caller had aborted. */
  close(): boolean;
}

function createWatch(options: SettleOptions, leave: (settled: Settled) => void): Watch {
  const { signal, timeoutMs } = options;
  let timer: NodeJS.Timeout | undefined;
  let aborted = false;
  const onAborted = (): void => {
    aborted = true;
    clearTimeout(timer);
    timer = setTimeout(() => leave({ kind: 'aborted' }), GRACE_MS);
    options.stop(signal.reason);
  };
  const onTimeout = (): void => {
    options.stop(new DOMException('The tool took too long.', 'TimeoutError'));
    leave({ kind: 'timeout' });
  };
  let unlisten: (() => void) | undefined;
  if (timeoutMs > 0 && timeoutMs <= LONGEST_TIMER_MS) timer = setTimeout(onTimeout, timeoutMs);
  if (signal.aborted) onAborted();
  else unlisten = onAbort(signal, onAborted);
  return {
    close() {
      clearTimeout(timer);
      unlisten?.();
      return aborted;
    },
  };
}
