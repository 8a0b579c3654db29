import { onAbort } from './abort.ts';

const FIRST_MS = 50;
const LONGEST_MS = 2_000;

/** Waits before another try, each time twice as long. False when the signal aborted instead. */
export function backoff(tries: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  return new Promise((resolve) => {
    const timer = setTimeout(
      () => {
        unlisten();
        resolve(true);
      },
      Math.min(FIRST_MS * 2 ** tries, LONGEST_MS),
    );
    const unlisten = onAbort(signal, () => {
      clearTimeout(timer);
      resolve(false);
    });
  });
}
