/** Resolves like `work`, or to `fallback` if it rejects or takes longer than `timeoutMs`. Leaves no timer behind. */
export function withTimeout<T>(work: Promise<T>, timeoutMs: number, fallback: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(fallback), timeoutMs);
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
