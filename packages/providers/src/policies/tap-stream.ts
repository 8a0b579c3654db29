import type { ProviderEvent } from '@kernel/protocol';

/** A returned promise is awaited before the consumer gets the event or the error. */
export interface StreamTap {
  onEvent(event: ProviderEvent): void | Promise<void>;
  onError?(error: unknown): void | Promise<void>;
}

export function tapStream(events: AsyncIterable<ProviderEvent>, tap: StreamTap): AsyncIterableIterator<ProviderEvent> {
  let inner: AsyncIterator<ProviderEvent> | undefined;
  const iterator = (): AsyncIterator<ProviderEvent> => (inner ??= events[Symbol.asyncIterator]());
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      let result: IteratorResult<ProviderEvent>;
      try {
        result = await iterator().next();
      } catch (error) {
        await tap.onError?.(error);
        throw error;
      }
      if (result.done !== true) {
        const wait = tap.onEvent(result.value);
        if (wait !== undefined) await wait;
      }
      return result;
    },
    async return() {
      await iterator().return?.();
      return { done: true, value: undefined };
    },
  };
}
