export interface EventQueue<T> {
  /** Adds a value. Returns a promise once the reader lags: await it before adding more. Does nothing after `close`. */
  push(value: T): void | Promise<void>;
  /** Ends the queue once all values have been read; with `error`, by throwing it. */
  close(error?: unknown): void;
  /** Lets producers continue, from now on, however far behind the reader is. */
  release(): void;
  /** Ends the queue at once and discards unread values, and the error if there is one. */
  discard(): void;
  /** Reads the next value, or waits for it. Concurrent readers are served in order. */
  next(): Promise<IteratorResult<T, void>>;
}

type Waiter<T> = (result: IteratorResult<T, void> | Promise<IteratorResult<T, void>>) => void;

/** Creates a queue that applies back-pressure while `highWaterMark` or more values are unread. Costs one promise per value. */
export function createEventQueue<T>(highWaterMark = 64): EventQueue<T> {
  let values: T[] = [];
  let head = 0;
  let closed = false;
  let isReleased = false;
  let failure: { readonly error: unknown } | undefined;
  let drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  let waiters: Waiter<T>[] = [];

  function clear(): void {
    values = [];
    head = 0;
    drained?.resolve();
    drained = undefined;
  }

  /** What a reader gets when nothing is left. The error is thrown once. */
  function end(): Promise<IteratorResult<T, void>> {
    const failed = failure;
    failure = undefined;
    return failed === undefined ? Promise.resolve({ done: true, value: undefined }) : Promise.reject(failed.error);
  }

  return {
    push(value) {
      if (closed) return undefined;
      const waiter = waiters.shift();
      if (waiter !== undefined) {
        waiter({ done: false, value });
        return undefined;
      }
      values.push(value);
      if (values.length - head < highWaterMark || isReleased) return undefined;
      drained ??= Promise.withResolvers<void>();
      return drained.promise;
    },
    close(error) {
      if (closed) return;
      closed = true;
      if (error !== undefined) failure = { error };
      drained?.resolve();
      for (const waiter of waiters.splice(0)) waiter(end());
    },
    release() {
      isReleased = true;
      drained?.resolve();
      drained = undefined;
    },
    discard() {
      closed = true;
      failure = undefined;
      clear();
      for (const waiter of waiters.splice(0)) waiter({ done: true, value: undefined });
    },
    next() {
      const value = values[head];
      if (head < values.length && value !== undefined) {
        head += 1;
        if (head === values.length) clear();
        return Promise.resolve({ done: false, value });
      }
      if (closed) return end();
      return new Promise((resolve) => {
        // A new list has room for one, which is all that most readers need; `push` makes room for 17.
        if (waiters.length === 0) waiters = [resolve];
        else waiters.push(resolve);
      });
    },
  };
}
