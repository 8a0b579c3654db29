import { untilAborted } from '@kernel/internal';

/**
 * Creates what runs one piece of work at a time for all who want it: who comes while it runs waits for the same one. The work is aborted when
 * the last of them has gone.
 */
export function createSharedWork(): (
  work: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal | undefined,
) => Promise<void> {
  let running: { readonly done: Promise<void>; readonly controller: AbortController; waiting: number } | undefined;
  return async (work, signal) => {
    signal?.throwIfAborted();
    if (running === undefined || running.controller.signal.aborted) {
      const controller = new AbortController();
      const started = { done: Promise.resolve().then(() => work(controller.signal)), controller, waiting: 0 };
      running = started;
      const end = (): void => {
        if (running === started) running = undefined;
      };
      started.done.then(end, end);
    }
    const joined = running;
    joined.waiting += 1;
    try {
      await untilAborted(joined.done, signal);
    } finally {
      joined.waiting -= 1;
      if (joined.waiting === 0) joined.controller.abort(signal?.reason);
    }
  };
}
