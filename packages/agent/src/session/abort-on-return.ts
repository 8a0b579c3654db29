/** Aborts a generator's work when its reader leaves: `return` of a generator waits for the value that it is about to yield. */
export function abortOnReturn<T>(
  generator: AsyncGenerator<T, void>,
  controller: AbortController,
): AsyncGenerator<T, void> {
  const leave = async (): Promise<IteratorResult<T, void>> => {
    controller.abort();
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
