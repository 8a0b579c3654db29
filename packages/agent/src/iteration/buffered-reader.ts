import { KernelError } from '@kernel/protocol';
import { createEventQueue, type EventQueue } from './event-queue.ts';

/** A reader that may start late, or never. */
export interface BufferedReader<T> {
  /** Adds a value. Returns a promise once the reader has begun and lags. */
  push(value: T): void | Promise<void>;
  /** Changes what nobody has read yet. Returns false once the reader has begun. */
  revise(change: (backlog: T[]) => void): boolean;
  /** No longer holds up who adds values, however far the reader lags. */
  release(): void;
  close(error?: unknown): void;
  /** The values, to be read once. */
  readonly values: AsyncIterable<T>;
}

/**
 * Creates a reader. `addToBacklog` adds a value to the backlog while nobody reads, and returns false once that is too much: then nothing more is kept,
 * and reading throws `LIMIT_REACHED`, which names the reader.
 */
export function createBufferedReader<T>(
  name: string,
  addToBacklog: (backlog: T[], value: T) => boolean,
): BufferedReader<T> {
  let state: 'unread' | 'reading' | 'dropped' = 'unread';
  let backlog: T[] = [];
  let queue: EventQueue<T> | undefined;
  let isReleased = false;
  let ending: { readonly error: unknown } | undefined;

  function begin(): EventQueue<T> {
    if (state === 'reading')
      throw new KernelError('CONFIG_INVALID', `The ${name} of a run can be read only once.`, {
        hint: 'Read them once and pass on what other readers need.',
      });
    if (state === 'dropped')
      throw new KernelError('LIMIT_REACHED', `The ${name} of the run were not read in time and have been dropped.`, {
        hint: 'Start reading before 1,000 events have passed, or only await result.',
      });
    state = 'reading';
    const created = createEventQueue<T>();
    for (const value of backlog) void created.push(value);
    backlog = [];
    if (isReleased) created.release();
    if (ending !== undefined) created.close(ending.error);
    queue = created;
    return created;
  }

  return {
    push(value) {
      if (queue !== undefined) return queue.push(value);
      if (state === 'unread' && !addToBacklog(backlog, value)) {
        state = 'dropped';
        backlog = [];
      }
      return undefined;
    },
    revise(change) {
      if (queue !== undefined) return false;
      change(backlog);
      return true;
    },
    release() {
      isReleased = true;
      queue?.release();
    },
    close(error) {
      ending = { error };
      queue?.close(error);
    },
    values: {
      [Symbol.asyncIterator]() {
        const reading = begin();
        return {
          next: () => reading.next(),
          async return() {
            reading.discard();
            return { done: true, value: undefined };
          },
        };
      },
    },
  };
}
