import { MAX_TIMER_MS, onAbort } from '@kernel/internal';

/** How a handler ended, was abandoned, or was not entered. */
export type HandlerEnd =
  | SettledHandler
  | StoppedHandler
  /** It was not entered, because its arguments have changed since they were shown. */
  | { readonly kind: 'changed' }
  /** It returned what throws when it is looked at. */
  | { readonly kind: 'unread'; readonly error: unknown };

/** A handler that its timeout or its caller stopped. */
export interface StoppedHandler {
  readonly kind: 'timeout' | 'aborted';
  /** How it settled within the grace period; absent if it still runs. */
  readonly settled?: SettledHandler;
}

export type SettledHandler =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly error: unknown };

export interface RaceOptions {
  readonly signal: AbortSignal;
  /** Time limit in milliseconds; `0` or `Infinity` means none. */
  readonly timeoutMs: number;
  /** Aborts the handler's own signal. */
  readonly stop: (reason: unknown) => void;
  /** Called once, with the end. */
  readonly onEnd: (end: HandlerEnd) => void;
  /** Called before `onEnd` if the handler is abandoned. The promise resolves once it has settled, and never rejects. */
  readonly onAbandoned: (settled: Promise<{ readonly failed: boolean }>) => void;
}

/** How long a handler that is stopped has to settle before it is abandoned. */
const GRACE_MS = 20;

/** Races the promise of a handler against a timeout and the caller's abort. Leaves no timer and no listener behind. */
export function raceHandler(work: Promise<unknown>, options: RaceOptions): void {
  let ended = false;
  let watch: Watch | undefined;
  let onSettled: ((outcome: { readonly failed: boolean }) => void) | undefined;
  const settle = (end: SettledHandler): void => {
    if (ended) return onSettled?.({ failed: end.kind === 'error' });
    ended = true;
    const kind = watch?.close();
    return options.onEnd(kind === undefined ? end : { kind, settled: end });
  };
  const abandon = (end: HandlerEnd): void => {
    if (ended) return;
    ended = true;
    watch?.close();
    options.onAbandoned(new Promise((resolve) => (onSettled = resolve)));
    options.onEnd(end);
  };
  try {
    work.then(
      (value) => settle({ kind: 'value', value }),
      (error: unknown) => settle({ kind: 'error', error }),
    );
  } catch (error) {
    settle({ kind: 'error', error }); // a proxy of a promise
  }
  // A handler that has settled by now needs neither a timer nor a listener.
  queueMicrotask(() => {
    try {
      if (!ended) watch = createWatch(options, abandon);
    } catch (error) {
      settle({ kind: 'error', error }); // a signal that cannot be listened to
    }
  });
}

interface Watch {
  /** Removes timer and listener. Returns what had stopped the handler, if it was stopped. */
  close(): StoppedHandler['kind'] | undefined;
}

function createWatch(options: RaceOptions, abandon: (end: HandlerEnd) => void): Watch {
  const { signal, timeoutMs } = options;
  let timer: NodeJS.Timeout | undefined;
  let stopped: StoppedHandler['kind'] | undefined;
  const stop = (kind: StoppedHandler['kind'], reason: unknown): void => {
    if (stopped !== undefined) return;
    stopped = kind;
    clearTimeout(timer);
    timer = setTimeout(() => abandon({ kind }), GRACE_MS);
    options.stop(reason);
  };
  const onTimeout = (): void => stop('timeout', new DOMException('The tool took too long.', 'TimeoutError'));
  if (timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS) timer = setTimeout(onTimeout, timeoutMs);
  const removeAbort = onAbort(signal, () => stop('aborted', signal.reason));
  return {
    close() {
      clearTimeout(timer);
      removeAbort();
      return stopped;
    },
  };
}
