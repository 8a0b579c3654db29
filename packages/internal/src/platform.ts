/** What Node, Deno and Bun have beyond the web's globals, and what browsers and workers lack in whole or in part. */
interface NodeGlobals {
  readonly process?: Partial<
    Pick<typeof process, 'cwd' | 'env' | 'getBuiltinModule' | 'getuid' | 'kill' | 'pid' | 'platform'>
  >;
  readonly Buffer?: typeof Buffer;
  readonly setImmediate?: typeof setImmediate;
}

/** The globals of Node, each absent where the runtime lacks it: the one way of our code to anything that is not of the web. */
export const node: NodeGlobals = globalThis;

/** The modules of Node that our code has another way for where they are absent. */
type ModuleId =
  | 'node:async_hooks'
  | 'node:crypto'
  | 'node:events'
  | 'node:fs'
  | 'node:fs/promises'
  | 'node:os'
  | 'node:path'
  | 'node:string_decoder'
  | 'node:worker_threads';

export function nodeModule<Id extends ModuleId>(id: Id): ReturnType<typeof process.getBuiltinModule<Id>> | undefined {
  return node.process?.getBuiltinModule?.(id);
}

export interface AsyncStorage<T> {
  getStore(): T | undefined;
  run<Result>(value: T, work: () => Result): Result;
}

/** Whether a value of `createAsyncStorage` is still known after an `await`. */
export function hasAsyncStorage(): boolean {
  return nodeModule('node:async_hooks') !== undefined;
}

/**
 * Creates a store for values that belong to the work that is running: an `AsyncLocalStorage`. Where there is none, a value holds until
 * the first `await` of the work.
 */
export function createAsyncStorage<T>(): AsyncStorage<T> {
  const hooks = nodeModule('node:async_hooks');
  if (hooks !== undefined) return new hooks.AsyncLocalStorage<T>();
  let current: T | undefined;
  return {
    getStore: () => current,
    run(value, work) {
      const outer = current;
      current = value;
      try {
        return work();
      } finally {
        current = outer;
      }
    },
  };
}

/** Calls back in the next turn of the event loop, after input and timers had their chance. */
export function inNextTurn(callback: () => void): void {
  if (node.setImmediate === undefined) setTimeout(callback, 0);
  else node.setImmediate(callback);
}
