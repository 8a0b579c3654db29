/** Settles like `work` within a clock; too late, or rejected, it is `otherwise`. Never rejects, and no timer outlives it. */
export function within<T>(work: Promise<T>, limitMs: number, otherwise: T): Promise<T> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => resolve(otherwise), limitMs);
    const end = (value: T): void => {
      clearTimeout(timer);
      resolve(value);
    };
    work.then(
      (value) => end(value),
      () => end(otherwise),
    );
  });
}
