import type { ProviderEvent } from '@kernel/protocol';
import type { Exchange } from '../http/request.ts';

/** Where a reply's decoder puts what it found. Synchronous. */
export interface ReplySink {
  readonly emit: (event: ProviderEvent) => void;
  /** Tells how many bytes were just decoded: back-pressure counts them. */
  fed(bytes: number): void;
  end(): void;
  fail(error: unknown): void;
}

/** A reader that has this much unread stops the socket. */
const MAX_UNREAD_BYTES = 128 * 1024;
/** After so long in one turn of the event loop, the rest waits for the next one. */
const SLICE_MS = 6;
/** So much is decoded before the time is looked at: a short reply costs no clock. */
const UNTIMED_BYTES = 64 * 1024;
/** How long a server may keep the connection open after the end mark. */
const LINGER_MS = 100;

type Waiter = { resolve(result: IteratorResult<ProviderEvent>): void; reject(error: unknown): void };

const DONE: IteratorResult<ProviderEvent> = { done: true, value: undefined };

/**
 * Turns pushed events into one async iterator: no promise a delta inside, events handed out in batches. `open` sends the
 * request at the first `next()`. An abort rejects with `signal.reason` and drops what is unread; leaving before the end mark closes the socket.
 */
export function createReplyStream(
  open: (sink: ReplySink) => Exchange,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<ProviderEvent> {
  let exchange: Exchange | undefined;
  let begun = false;
  let over = false;
  let whole = false;
  let failure: { readonly error: unknown } | undefined;
  let queue: ProviderEvent[] = [];
  let head = 0;
  let unread = 0;
  let untimed = 0;
  let sliceStart: number | undefined;
  let sliced = false;
  let paused = false;
  let linger: NodeJS.Timeout | undefined;
  const waiters: Waiter[] = [];

  function onAbort(): void {
    drained();
    exchange?.close();
    settle({ error: signal?.reason });
  }

  function settle(reason?: { readonly error: unknown }): void {
    if (over) return;
    over = true;
    failure = reason;
    clearTimeout(linger);
    signal?.removeEventListener('abort', onAbort);
    wake();
  }

  function wake(): void {
    while (waiters.length > 0) {
      const event = queue[head];
      if (event === undefined && !over) break;
      const waiter = waiters.shift();
      if (event !== undefined) {
        head += 1;
        waiter?.resolve({ done: false, value: event });
      } else if (failure === undefined) {
        waiter?.resolve(DONE);
      } else {
        const { error } = failure;
        failure = undefined;
        waiter?.reject(error);
      }
    }
    if (head === queue.length) drained();
  }

  function drained(): void {
    queue = [];
    head = 0;
    unread = 0;
  }

  function regulate(): void {
    const hold = !over && (unread > MAX_UNREAD_BYTES || sliced);
    if (hold === paused) return;
    paused = hold;
    if (hold) exchange?.pause();
    else exchange?.resume();
  }

  function lingerOn(): void {
    if (over) return;
    linger = setTimeout(() => {
      exchange?.close();
      settle();
    }, LINGER_MS);
  }

  function startSlice(): void {
    sliceStart = performance.now();
    setImmediate(() => {
      sliceStart = undefined;
      sliced = false;
      untimed = 0;
      regulate();
    });
  }

  const sink: ReplySink = {
    emit(event) {
      if (over) return;
      queue.push(event);
      // The connection mostly ends in the same breath: then there is nothing to wait for.
      if (event.type === 'message-end') {
        whole = true;
        queueMicrotask(lingerOn);
      }
    },
    fed(bytes) {
      if (over) return;
      unread += bytes;
      untimed += bytes;
      if (sliceStart === undefined) {
        if (untimed > UNTIMED_BYTES) startSlice();
      } else if (performance.now() - sliceStart > SLICE_MS) {
        sliced = true;
      }
      wake();
      regulate();
    },
    end() {
      clearTimeout(linger);
      settle();
    },
    fail(error) {
      clearTimeout(linger);
      // What breaks behind the end mark takes nothing from the message.
      settle(whole ? undefined : { error });
    },
  };

  function begin(): void {
    begun = true;
    if (signal?.aborted === true) {
      settle({ error: signal.reason });
      return;
    }
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      exchange = open(sink);
      // An abort from inside it, such as a token function's, found nothing to close.
      if (over) exchange.close();
    } catch (error) {
      settle({ error });
    }
  }

  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (!begun) begin();
      // The whole reply may be here already: an abort still holds for what the reader has not seen.
      if (over && signal?.aborted === true && head < queue.length) {
        drained();
        failure = { error: signal.reason };
      }
      const event = queue[head];
      if (event !== undefined) {
        head += 1;
        if (head === queue.length) {
          drained();
          if (paused) regulate();
        }
        return Promise.resolve({ done: false, value: event });
      }
      return new Promise((resolve, reject) => {
        waiters.push({ resolve, reject });
        wake();
      });
    },
    return() {
      begun = true;
      drained();
      if (whole && !over) {
        // The reader has everything. The connection can serve the next request where the server ends this one in time.
        settle();
        linger = setTimeout(() => exchange?.close(), LINGER_MS);
        regulate();
      } else {
        exchange?.close();
        settle();
      }
      failure = undefined;
      return Promise.resolve(DONE);
    },
  };
}
