import { linkAbort } from '@kernel/internal';
import { batchesOf, type NextBatch, type ProviderEvent, withBatches } from '@kernel/protocol';

type Result = IteratorResult<ProviderEvent>;

export interface Opening {
  /** Aborts when the consumer returns as well: for waits before a stream and between attempts. */
  readonly signal: AbortSignal;
  /** The last stream passed here is the one that is passed through. */
  first(events: AsyncIterable<ProviderEvent>): Promise<Result>;
}

const DONE: Result = { done: true, value: undefined };

/** From the first event on, the chosen stream is passed through without another promise or check per event. Returning early aborts `open`. */
export function openStream(
  signal: AbortSignal | undefined,
  open: (opening: Opening) => Promise<Result>,
): AsyncIterableIterator<ProviderEvent> {
  let chosen: AsyncIterator<ProviderEvent> | undefined;
  let beginning: Promise<Result> | undefined;
  let isOpen = false;
  let over = false;
  let returned = false;
  let opening: AbortController | undefined;

  async function begin(): Promise<Result> {
    const controller = new AbortController();
    opening = controller;
    const unlink = linkAbort(signal, controller);
    try {
      const result = await open({
        signal: controller.signal,
        first: (events) => {
          chosen = events[Symbol.asyncIterator]();
          return chosen.next();
        },
      });
      isOpen = true;
      return returned ? DONE : result;
    } catch (error) {
      over = true;
      if (returned) return DONE;
      throw error;
    } finally {
      unlink();
    }
  }

  const events: AsyncIterableIterator<ProviderEvent> = {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (isOpen && !returned) return chosen?.next() ?? Promise.resolve(DONE);
      if (over || returned) return Promise.resolve(DONE);
      if (beginning !== undefined) return beginning.then(() => this.next());
      beginning = begin();
      return beginning;
    },
    async return() {
      returned = true;
      opening?.abort();
      await chosen?.return?.();
      return DONE;
    },
  };
  let nextBatch: NextBatch | undefined;
  return withBatches(events, () => {
    if (isOpen && !returned && chosen !== undefined) nextBatch ??= batchesOf(chosen);
    if (nextBatch !== undefined && !returned) return nextBatch();
    return events.next().then(({ done, value }) => (done === true ? undefined : [value]));
  });
}
