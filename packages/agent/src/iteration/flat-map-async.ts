import { createAsyncGenerator } from './async-generator.ts';

export interface FlatMapOptions<In, Out> {
  readonly first?: (() => Promise<readonly Out[]>) | undefined;
  readonly map: (value: In) => readonly Out[];
  readonly fail?: ((error: unknown) => readonly Out[]) | undefined;
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
