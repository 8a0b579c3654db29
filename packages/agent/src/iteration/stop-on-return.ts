import { createAsyncGenerator } from './async-generator.ts';

/** Stops what a generator waits for when its reader leaves. */
export function stopOnReturn<T>(generator: AsyncGenerator<T, void>, stop: () => void): AsyncGenerator<T, void> {
  return createAsyncGenerator(
    () => generator.next(),
    () => {
      stop();
      return generator.return();
    },
  );
}
