/** Returns a function that computes its value at the first call and returns the same value from then on. */
export function once<T>(compute: () => T): () => T {
  let cached: { readonly value: T } | undefined;
  return () => (cached ??= { value: compute() }).value;
}
