import type { Database } from './database.ts';

/** Tells when the file has changed, in this process or another. */
export interface Changes {
  /** Calls `listener` soon after each commit, several of them at once. Returns a function that stops it. */
  subscribe(this: void, listener: () => void): () => void;
  /** Notes a commit of this process. */
  notify(this: void): void;
  /** Stops for good. */
  close(this: void): void;
}

/** How often the commits of other processes are looked for, in milliseconds: one pragma, some microseconds. */
const POLL_MS = 25;

/** Creates the watch of a database. It keeps the process alive while somebody listens. */
export function createChanges(db: Database): Changes {
  const listeners = new Set<() => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let version: unknown;
  let isNotified = false;

  const call = (): void => {
    isNotified = false;
    for (const listener of listeners) listener();
  };
  const notify = (): void => {
    if (isNotified || listeners.size === 0) return;
    isNotified = true;
    setImmediate(call);
  };
  const poll = (): void => {
    // Counts the commits of other connections only; one's own are noted as they are made.
    const current = db.get('PRAGMA data_version')?.['data_version'];
    if (current === version) return;
    version = current;
    notify();
  };
  return {
    notify,
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setInterval(poll, POLL_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      };
    },
    close() {
      clearInterval(timer);
      timer = undefined;
      listeners.clear();
    },
  };
}
