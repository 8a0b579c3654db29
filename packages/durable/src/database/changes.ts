import { attempt } from '@kernel/internal';
import { type Database, closedError } from './database.ts';

/**
 * What a commit changed: the `progress` of a run, the `status` of runs, or a `signal` to a run that may be in progress, such as a message, a stop or a cancel.
 * Each kind may include the ones before it.
 */
export type ChangeKind = 'progress' | 'status' | 'signal';

export type Changes = ReturnType<typeof createChanges>;

/** How often to poll for commits of other processes, in milliseconds. A poll is one pragma and takes microseconds. */
const POLL_MS = 25;
const IDLE_MS = 100;
const IDLE_POLLS = 40;

const RANK: readonly ChangeKind[] = ['progress', 'status', 'signal'];

/** Watches a database. Keeps the process alive while there are listeners. */
export function createChanges(db: Database) {
  const listeners = new Set<(kind: ChangeKind) => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let version: unknown;
  let pendingKind: ChangeKind | undefined;
  let polls = 0;

  const call = (): void => {
    const kind = pendingKind ?? 'progress';
    pendingKind = undefined;
    for (const listener of listeners) listener(kind);
  };
  const notify = (kind: ChangeKind): void => {
    polls = 0;
    if (listeners.size === 0) return;
    if (pendingKind === undefined) setImmediate(call);
    if (pendingKind === undefined || RANK.indexOf(kind) > RANK.indexOf(pendingKind)) pendingKind = kind;
  };
  const poll = (): void => {
    polls += 1;
    // Counts the commits of other connections only; one's own are noted as they are made.
    // Of a file that cannot be read, whoever reads it next hears.
    const current = attempt(() => db.get('PRAGMA data_version')?.['data_version']) ?? version;
    if (current !== version) {
      version = current;
      notify('signal');
    }
    timer = setTimeout(poll, polls > IDLE_POLLS ? IDLE_MS : POLL_MS);
  };
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    notify,
    /** Calls `listener` soon after a commit that changed something, once for several of them. Returns a function that unsubscribes. */
    subscribe: (listener: (kind: ChangeKind) => void): (() => void) => {
      listeners.add(listener);
      timer ??= setTimeout(poll, POLL_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close: (): void => {
      stop();
      listeners.clear();
    },
  };
}

export function createChangeWaiter(changes: Changes) {
  const rejectAll = new Set<() => void>();
  return {
    /**
     * Resolves to what `check` returns, once that is not undefined: it is asked again after each change of the kind `least` or more. Rejects with what
     * `check` throws, with the reason of the signal, and with `STORE_FAILED` once the journal is closed.
     */
    until: <T>(check: () => T | undefined, signal: AbortSignal | undefined, least: ChangeKind) =>
      new Promise<T>((resolve, reject) => {
        const end = (settle: () => void): void => {
          unsubscribe();
          rejectAll.delete(close);
          signal?.removeEventListener('abort', abort);
          settle();
        };
        const abort = (): void => end(() => reject(signal?.reason));
        const close = (): void => end(() => reject(closedError()));
        const look = (): void => {
          try {
            const found = check();
            if (found !== undefined) end(() => resolve(found));
          } catch (error) {
            end(() => reject(error));
          }
        };
        const unsubscribe = changes.subscribe((kind) => {
          if (kind !== 'progress' || least === 'progress') look();
        });
        if (signal?.aborted === true) return abort();
        signal?.addEventListener('abort', abort, { once: true });
        rejectAll.add(close);
        look();
      }),
    close: (): void => {
      for (const close of rejectAll) close();
    },
  };
}
