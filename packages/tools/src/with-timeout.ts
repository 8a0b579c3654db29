import { MAX_TIMER_MS } from '@kernel/internal';

/** Resolves like `work`, or to `fallback` if it rejects or takes longer than `timeoutMs`; `0` or more than a timer can wait means no limit. Leaves no timer behind. */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number, fallback: T): Promise<T> {
  return new Promise((resolve) => {
    const hasTimeout = timeoutMs > 0 && timeoutMs <= MAX_TIMER_MS;
    const timer = hasTimeout ? setTimeout(() => resolve(fallback), timeoutMs) : undefined;
    const settle = (value: T): void => {
      clearTimeout(timer);
      resolve(value);
    };
    work.then(
      (value) => settle(value),
      () => settle(fallback),
    );
  });
}
