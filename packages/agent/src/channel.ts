/** A queue between what happens in a run and the one reader of its events. */
export interface Channel<T> {
  /** Adds a value. Returns a promise once the reader lags: await it before adding more. Without effect after `close`. */
  push(value: T): void | Promise<void>;
  /** Ends the reading side when all values are read; with `error`, by throwing it. */
  close(error?: unknown): void;
  /** Reads all values in order. One reader only. */
  read(): AsyncGenerator<T, void>;
}

/** Makes a channel whose `push` asks for patience from the `highWater`th unread value on. */
export function createChannel<T>(highWater = 64): Channel<T> {
  let values: T[] = [];
  let closed = false;
  let failure: { readonly error: unknown } | undefined;
  let wakeReader: (() => void) | undefined;
  let drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  const release = (): void => {
    drained?.resolve();
    drained = undefined;
  };
  return {
    push(value) {
      if (closed) return;
      values.push(value);
      wakeReader?.();
      if (values.length < highWater) return;
      const wait = (drained ??= Promise.withResolvers<void>());
      return wait.promise;
    },
    close(error) {
      if (closed) return;
      closed = true;
      if (error !== undefined) failure = { error };
      wakeReader?.();
      release();
    },
    async *read() {
      try {
        for (;;) {
          const batch = values;
          values = [];
          release();
          yield* batch;
          if (values.length > 0) continue;
          if (closed) break;
          await new Promise<void>((resolve) => {
            wakeReader = resolve;
          });
          wakeReader = undefined;
        }
        if (failure !== undefined) throw failure.error;
      } finally {
        closed = true;
        release();
      }
    },
  };
}
