/**
 * Stops what a generator waits for when its reader leaves. `return` of a generator function waits for the value that it is about to yield, and a model
 * may be silent for minutes.
 */
export function stopOnReturn<T>(generator: AsyncGenerator<T, void>, stop: () => void): AsyncGenerator<T, void> {
  const leave = async (): Promise<IteratorResult<T, void>> => {
    stop();
    await generator.return();
    return { done: true, value: undefined };
  };
  const reader = {
    next: () => generator.next(),
    return: leave,
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
