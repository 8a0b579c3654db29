/** A queue with one reader. */
export interface Queue<T> {
  push(item: T): void;
  /** Removes and returns the first item; undefined if there is none. */
  shift(): T | undefined;
  /** The last item, which may still be changed. */
  last(): T | undefined;
  /** Resolves when there is an item. */
  untilFilled(): Promise<void>;
}

/** Creates an empty queue. */
export function createQueue<T>(): Queue<T> {
  const items: T[] = [];
  let waiting: (() => void)[] = [];
  return {
    push(item) {
      items.push(item);
      for (const resolve of waiting) resolve();
      waiting = [];
    },
    shift: () => items.shift(),
    last: () => items.at(-1),
    untilFilled: () => (items.length > 0 ? Promise.resolve() : new Promise((resolve) => void waiting.push(resolve))),
  };
}
