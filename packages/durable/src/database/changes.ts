import type { Database } from './database.ts';

/** Tells when the file has changed, in this process or another. */
export interface Changes {
  /**
   * Calls `listener` soon after each commit that changed something, once for several of them; `mayConcernRuns` says whether messages, stops or cancels may
   * be among them. Returns a function that stops it.
   */
  subscribe(this: void, listener: (mayConcernRuns: boolean) => void): () => void;
  /** Notes a commit of this process. */
  notify(this: void): void;
  /** Notes that this process has sent something to a run. */
  signal(this: void): void;
  /** Stops for good. */
  close(this: void): void;
}

/** How often the commits of other processes are looked for, in milliseconds: one pragma, some microseconds. */
const POLL_MS = 25;

/** Creates the watch of a database. It keeps the process alive while somebody listens. */
export function createChanges(db: Database): Changes {
  const listeners = new Set<(mayConcernRuns: boolean) => void>();
  let timer: ReturnType<typeof setInterval> | undefined;
  let version: unknown;
  let isNotified = false;
  let hasSignal = false;

  const call = (): void => {
    const mayConcernRuns = hasSignal;
    isNotified = false;
    hasSignal = false;
    for (const listener of listeners) listener(mayConcernRuns);
  };
  const notify = (): void => {
    if (isNotified || listeners.size === 0) return;
    isNotified = true;
    setImmediate(call);
  };
  const signal = (): void => {
    hasSignal = true;
    notify();
  };
  const poll = (): void => {
    // Counts the commits of other connections only; one's own are noted as they are made.
    const current = db.get('PRAGMA data_version')?.['data_version'];
    if (current === version) return;
    version = current;
    signal();
  };
  return {
    notify,
    signal,
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
