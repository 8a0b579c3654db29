import { inNextTurn, onAbort } from '@kernel/internal';
import { type ProviderEvent, withBatches } from '@kernel/protocol';
import type { HttpRequest } from '../http/request.ts';

export interface EventSink {
  readonly emit: (event: ProviderEvent) => void;
  /** Counts the bytes for back-pressure and wakes the consumer. Returns whether there were events in them. */
  decoded(bytes: number): boolean;
  end(): void;
  /** Ignored after `message-end`. */
  fail(error: unknown): void;
}

/** With this many unread bytes, reading from the socket stops. */
const MAX_UNREAD_BYTES = 128 * 1024;
/** After this long in one turn of the event loop, the rest waits for the next one. */
const SLICE_MS = 6;
/** This many bytes are decoded before the time is checked: a short reply never reads it. */
const UNTIMED_BYTES = 64 * 1024;
/** How long a server may keep the connection open after the end mark. */
const LINGER_MS = 100;

type Waiter = { resolve(result: IteratorResult<ProviderEvent>): void; reject(error: unknown): void };

const DONE: IteratorResult<ProviderEvent> = { done: true, value: undefined };

// Events are handed out in batches, without a promise per delta inside. `open` sends the request at the first `next()`. An abort rejects with
// `signal.reason` and drops unread events; returning before the end mark closes the socket.
export function createEventQueue(
  open: (sink: EventSink) => HttpRequest,
  signal: AbortSignal | undefined,
): AsyncIterableIterator<ProviderEvent> {
  let request: HttpRequest | undefined;
  let begun = false;
  let over = false;
  let hasMessageEnd = false;
  let failure: { readonly error: unknown } | undefined;
  let queue: ProviderEvent[] = [];
  let head = 0;
  let hasEmitted = false;
  let unreadBytes = 0;
  let untimedBytes = 0;
  let sliceStart: number | undefined;
  let sliceUsedUp = false;
  let paused = false;
  let lingerTimer: NodeJS.Timeout | undefined;
  let removeAbortListener: (() => void) | undefined;
  let waiters: Waiter[] = [];

  function abort(): void {
    clearQueue();
    request?.close();
    settle({ error: signal?.reason });
  }

  function settle(reason?: { readonly error: unknown }): void {
    if (over) return;
    over = true;
    failure = reason;
    clearTimeout(lingerTimer);
    removeAbortListener?.();
    // The decoder can be freed, even if the events have not all been read yet.
    request = undefined;
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
    if (head < queue.length) return;
    unreadBytes = 0;
    if (head > 0) clearQueue();
  }

  function clearQueue(): void {
    queue = [];
    head = 0;
    unreadBytes = 0;
  }

  function applyBackPressure(): void {
    const shouldPause = !over && (unreadBytes > MAX_UNREAD_BYTES || sliceUsedUp);
    if (shouldPause === paused) return;
    paused = shouldPause;
    if (shouldPause) request?.pause();
    else request?.resume();
  }

  function startLingering(): void {
    if (over) return;
    lingerTimer = setTimeout(() => {
      request?.close();
      settle();
    }, LINGER_MS);
  }

  function startSlice(): void {
    sliceStart = performance.now();
    inNextTurn(() => {
      sliceStart = undefined;
      sliceUsedUp = false;
      untimedBytes = 0;
      applyBackPressure();
    });
  }

  const sink: EventSink = {
    emit(event) {
      if (over) return;
      queue.push(event);
      hasEmitted = true;
      // The connection usually ends in the same turn: then there is nothing to wait for.
      if (event.type === 'message-end') {
        hasMessageEnd = true;
        queueMicrotask(startLingering);
      }
    },
    decoded(bytes) {
      if (over) return false;
      const hasEvents = hasEmitted;
      hasEmitted = false;
      unreadBytes += bytes;
      untimedBytes += bytes;
      if (sliceStart === undefined) {
        if (untimedBytes > UNTIMED_BYTES) startSlice();
      } else if (performance.now() - sliceStart > SLICE_MS) {
        sliceUsedUp = true;
      }
      wake();
      applyBackPressure();
      return hasEvents;
    },
    end() {
      clearTimeout(lingerTimer);
      settle();
    },
    fail(error) {
      clearTimeout(lingerTimer);
      // A failure after the end mark does not affect the message.
      settle(hasMessageEnd ? undefined : { error });
    },
  };

  function begin(): void {
    begun = true;
    if (signal?.aborted === true) {
      settle({ error: signal.reason });
      return;
    }
    removeAbortListener = onAbort(signal, abort);
    try {
      const opened = open(sink);
      // An abort from inside `open`, such as a token function's, found nothing to close.
      if (over) opened.close();
      else request = opened;
    } catch (error) {
      settle({ error });
    }
  }

  /** Takes what is unread without waiting. */
  function takeRest(): readonly ProviderEvent[] {
    const rest = head === 0 ? queue : queue.slice(head);
    clearQueue();
    if (paused) applyBackPressure();
    return rest;
  }

  const events: AsyncIterableIterator<ProviderEvent> = {
    [Symbol.asyncIterator]() {
      return this;
    },
    next() {
      if (!begun) begin();
      // The whole reply may be queued already: an abort still applies to what the consumer has not seen.
      if (over && signal?.aborted === true && head < queue.length) {
        clearQueue();
        failure = { error: signal.reason };
      }
      const event = queue[head];
      if (event !== undefined) {
        head += 1;
        if (head === queue.length) {
          clearQueue();
          if (paused) applyBackPressure();
        }
        return Promise.resolve({ done: false, value: event });
      }
      return new Promise((resolve, reject) => {
        // A new list has room for one, which is all that most readers need; `push` makes room for 17.
        if (waiters.length === 0) waiters = [{ resolve, reject }];
        else waiters.push({ resolve, reject });
        wake();
      });
    },
    return() {
      begun = true;
      clearQueue();
      const ending = request;
      if (hasMessageEnd && !over) {
        // The consumer has everything. The connection can serve the next request if the server ends this response in time.
        settle();
        lingerTimer = setTimeout(() => ending?.close(), LINGER_MS);
        if (paused) ending?.resume();
        paused = false;
      } else {
        request?.close();
        settle();
      }
      failure = undefined;
      return Promise.resolve(DONE);
    },
  };
  return withBatches(events, () =>
    events.next().then(({ done, value }) => (done === true ? undefined : [value, ...takeRest()])),
  );
}
