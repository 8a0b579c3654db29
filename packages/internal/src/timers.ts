import { onAbort } from './abort.ts';

/** The longest delay of a timer, in milliseconds: `setTimeout` fires at once for a longer one. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms`, or rejects with the signal's reason on abort. Leaves no timer and no listener behind. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      remove();
      resolve();
    }, ms);
    const remove = onAbort(signal, () => {
      clearTimeout(timer);
      reject(signal?.reason);
    });
  });
}
