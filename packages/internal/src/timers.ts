import { untilAborted } from './abort.ts';

/** The longest delay of a timer, in milliseconds: `setTimeout` fires at once for a longer one. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms`, or rejects with the signal's reason on abort. Leaves no timer and no listener behind. */
export function delay(ms: number, signal?: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elapsed = new Promise<void>((resolve) => void (timer = setTimeout(resolve, ms)));
  return untilAborted(elapsed, signal).finally(() => clearTimeout(timer));
}

/** Creates a lock, which runs asynchronous work one piece at a time, in call order. */
export function createLock(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work, work);
    last = result.catch(() => undefined);
    return result;
  };
}
