import { createLock, untilAborted } from '@kernel/internal';

/**
 * Keeps what signing in has given, by a key of server and client. All of it is secret: an access token, mostly a refresh token, and the client that
 * this program has registered.
 */
export interface TokenStore {
  /** Returns what was saved under a key, or undefined. */
  load(key: string): Promise<string | undefined>;
  /** Saves a text under a key, in place of what is there. */
  save(key: string, text: string): Promise<void>;
  /** Removes what was saved under a key, if anything was. */
  remove(key: string): Promise<void>;
  /**
   * Runs `work` while nobody else who shares the store runs theirs for the same key: of two that want to refresh a token, the second one finds
   * what the first has saved. Rejects with the signal's reason on abort.
   */
  exclusively<T>(key: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T>;
}

/** Keeps tokens in memory, until the process ends. */
export function memoryTokenStore(): TokenStore {
  const texts = new Map<string, string>();
  const exclusively = createKeyedLock();
  return {
    load: (key) => Promise.resolve(texts.get(key)),
    save(key, text) {
      texts.set(key, text);
      return Promise.resolve();
    },
    remove(key) {
      texts.delete(key);
      return Promise.resolve();
    },
    exclusively,
  };
}

/** Creates what runs the work of this process one piece at a time for each key, in call order. */
export function createKeyedLock(): TokenStore['exclusively'] {
  const locks = new Map<string, ReturnType<typeof createLock>>();
  return (key, work, signal) => {
    const lock = locks.get(key) ?? createLock();
    locks.set(key, lock);
    const turn = lock(() => {
      signal?.throwIfAborted();
      return work();
    });
    return untilAborted(turn, signal);
  };
}
