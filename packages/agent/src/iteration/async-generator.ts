/**
 * Creates an async generator from two functions. A generator function would make three promises for each value, and its `return` waits for the value that
 * it is about to yield, though a model may be silent for minutes.
 *
 * `leave` stops what `next` waits for; it is called by `return`, `throw` and `asyncDispose`.
 */
export function createAsyncGenerator<T>(
  next: () => Promise<IteratorResult<T, void>>,
  leave: () => Promise<unknown>,
): AsyncGenerator<T, void> {
  const reader = {
    next,
    async return(): Promise<IteratorResult<T, void>> {
      await leave();
      return { done: true, value: undefined };
    },
    async throw(error: unknown): Promise<never> {
      await leave();
      throw error;
    },
    [Symbol.asyncIterator]() {
      return this;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      await leave();
    },
  };
  return reader;
}

export function stopOnReturn<T>(generator: AsyncGenerator<T, void>, stop: () => void): AsyncGenerator<T, void> {
  return createAsyncGenerator(
    () => generator.next(),
    () => {
      stop();
      return generator.return();
    },
  );
}
