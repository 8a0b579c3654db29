import { createAsyncGenerator } from './async-generator.ts';

/** How the values of an iteration are mapped. */
export interface FlatMapOptions<In, Out> {
  /** Returns what to yield before the first value. Called at the first `next`. */
  readonly first?: (() => Promise<readonly Out[]>) | undefined;
  /** Returns what to yield for a value. */
  readonly map: (value: In) => readonly Out[];
  /** Returns what to yield for an error, after which the iteration ends. Without it, the error is thrown. */
  readonly fail?: ((error: unknown) => readonly Out[]) | undefined;
  /** What to yield after the last value. */
  readonly last?: readonly Out[] | undefined;
}

/** Maps each value to any number of values. Reads the next only after those have been consumed; `return()` takes effect at once. */
export function flatMapAsync<In, Out>(
  values: AsyncIterable<In>,
  { first, map, fail, last = [] }: FlatMapOptions<In, Out>,
): AsyncGenerator<Out, void> {
  let source: AsyncIterator<In> | undefined;
  let ready: readonly Out[] = [];
  let at = 0;
  let isOver = false;
  let previous: Promise<unknown> = Promise.resolve();

  async function read(): Promise<readonly Out[]> {
    try {
      if (source === undefined) {
        source = values[Symbol.asyncIterator]();
        if (first !== undefined) return await first();
      }
      const next: IteratorResult<In, unknown> = await source.next();
      if (next.done !== true) return map(next.value);
      isOver = true;
      return last;
    } catch (error) {
      isOver = true;
      // Where it was the mapping that failed, the values still go on.
      await source?.return?.().then(undefined, () => {});
      if (fail === undefined) throw error;
      return fail(error);
    }
  }

  async function advance(): Promise<IteratorResult<Out, void>> {
    for (;;) {
      const value = ready[at];
      if (at < ready.length && value !== undefined) {
        at += 1;
        return { done: false, value };
      }
      if (isOver) return { done: true, value: undefined };
      ready = [];
      at = 0;
      ready = await read();
    }
  }

  async function leave(): Promise<void> {
    isOver = true;
    ready = [];
    await source?.return?.();
  }

  return createAsyncGenerator(() => {
    const result = previous.then(advance, advance);
    previous = result;
    return result;
  }, leave);
}
