import type { ProviderEvent } from '@kernel/protocol';

type Result = IteratorResult<ProviderEvent>;

/** What a policy works with until a stream has given its first event. */
export interface Opening {
  /** Aborts with the caller's signal, and when the reader leaves: for waits before a stream and between streams. */
  readonly signal: AbortSignal;
  /** Asks a stream for its first event. The stream that was asked last is the one that is handed through. */
  first(events: AsyncIterable<ProviderEvent>): Promise<Result>;
}

const DONE: Result = { done: true, value: undefined };

/**
 * Makes a stream whose beginning `open` decides, at the first `next()`. From the first event on, the chosen stream is handed
 * through as it is: no promise and no check more than its own. Leaving ends a wait of `open`, and closes the chosen stream.
 * @internal
 */
export function openStream(
  signal: AbortSignal | undefined,
  open: (opening: Opening) => Promise<Result>,
): AsyncIterableIterator<ProviderEvent> {
  let chosen: AsyncIterator<ProviderEvent> | undefined;
  let beginning: Promise<Result> | undefined;
  let isOpen = false;
  let over = false;
  let left = false;
  let stop: AbortController | undefined;

  async function begin(): Promise<Result> {
    const controller = new AbortController();
    stop = controller;
    const forward = (): void => controller.abort(signal?.reason);
    if (signal?.aborted === true) forward();
    else signal?.addEventListener('abort', forward, { once: true });
    try {
      const result = await open({
        signal: controller.signal,
        first: (events) => {
          chosen = events[Symbol.asyncIterator]();
          return chosen.next();
        },
      });
      isOpen = true;
      return left ? DONE : result;
    } catch (error) {
      over = true;
      if (left) return DONE;
      throw error;
    } finally {
      signal?.removeEventListener('abort', forward);
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (isOpen && !left) return chosen?.next() ?? Promise.resolve(DONE);
      if (over || left) return Promise.resolve(DONE);
      if (beginning !== undefined) return beginning.then(() => this.next());
      beginning = begin();
      return beginning;
    },
    async return() {
      left = true;
      stop?.abort();
      await chosen?.return?.();
      return DONE;
    },
  };
}
