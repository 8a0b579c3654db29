/** A queue between what happens in a run and the reader of its events. */
export interface Channel<T> {
  /** Adds a value. Returns a promise once the reader lags: await it before adding more. Without effect after `close`. */
  push(value: T): void | Promise<void>;
  /** Ends the queue when all values are taken; with `error`, by throwing it. */
  close(error?: unknown): void;
  /** Ends the queue at once: what was not taken is dropped, an error too. */
  drop(): void;
  /** Takes the next value, or waits for it. Readers are served in order. */
  next(): Promise<IteratorResult<T, void>>;
}

type Waiter<T> = (result: IteratorResult<T, void> | Promise<IteratorResult<T, void>>) => void;

/** Makes a channel whose `push` asks for patience from the `highWater`th value on that was not taken. One promise a value. */
export function createChannel<T>(highWater = 64): Channel<T> {
  let values: T[] = [];
  let head = 0;
  let closed = false;
  let failure: { readonly error: unknown } | undefined;
  let drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;
  const waiters: Waiter<T>[] = [];

  function empty(): void {
    values = [];
    head = 0;
    drained?.resolve();
    drained = undefined;
  }

  /** What a reader gets when nothing is left. A failure is told once. */
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
      if (values.length - head < highWater) return undefined;
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
    drop() {
      closed = true;
      failure = undefined;
      empty();
      for (const waiter of waiters.splice(0)) waiter({ done: true, value: undefined });
    },
    next() {
      const value = values[head];
      if (head < values.length && value !== undefined) {
        head += 1;
        if (head === values.length) empty();
        return Promise.resolve({ done: false, value });
      }
      if (closed) return end();
      return new Promise((resolve) => {
        waiters.push(resolve);
      });
    },
  };
}
