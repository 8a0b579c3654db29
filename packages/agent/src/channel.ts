/** A queue between what happens in a run and the one reader of its events. */
export interface Channel<T> {
  /** Adds a value. Returns a promise once the reader lags: await it before adding more. Without effect after `close`. */
  push(value: T): void | Promise<void>;
  /** Ends the queue when all values are taken; with `error`, by throwing it. */
  close(error?: unknown): void;
  /** Takes all values that wait, in order; waits for one where there are none. Undefined at the end. One taker only. */
  take(): Promise<readonly T[] | undefined>;
}

/** Makes a channel whose `push` asks for patience from the `highWater`th value on that was not taken. */
export function createChannel<T>(highWater = 64): Channel<T> {
  let values: T[] = [];
  let closed = false;
  let failure: { readonly error: unknown } | undefined;
  let wakeTaker: (() => void) | undefined;
  let drained: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  const release = (): void => {
    drained?.resolve();
    drained = undefined;
  };
  return {
    push(value) {
      if (closed) return undefined;
      values.push(value);
      wakeTaker?.();
      if (values.length < highWater) return undefined;
      const wait = (drained ??= Promise.withResolvers<void>());
      return wait.promise;
    },
    close(error) {
      if (closed) return;
      closed = true;
      if (error !== undefined) failure = { error };
      wakeTaker?.();
      release();
    },
    async take() {
      if (values.length === 0 && !closed) {
        await new Promise<void>((resolve) => {
          wakeTaker = resolve;
        });
        wakeTaker = undefined;
      }
      const taken = values;
      values = [];
      release();
      if (taken.length > 0) return taken;
      if (failure !== undefined) throw failure.error;
      return undefined;
    },
  };
}
