import type { Database } from './database.ts';

/**
 * What a commit was about: `progress` of a run that goes on, the `status` of runs, or a `signal` to one that may be at work: a message, a stop or a cancel.
 * Each may be all that comes before it, too.
 */
export type ChangeKind = 'progress' | 'status' | 'signal';

/** Tells when the file has changed, in this process or another. */
export interface Changes {
  /** Calls `listener` soon after each commit that changed something, once for several of them. Returns a function that stops it. */
  subscribe(this: void, listener: (kind: ChangeKind) => void): () => void;
  /** Notes a commit of this process. */
  notify(this: void, kind: ChangeKind): void;
  /** Stops for good. */
  close(this: void): void;
}

/** How often the commits of other processes are looked for, in milliseconds: one pragma, some microseconds. */
const POLL_MS = 25;
/** How often while nothing happens: after so many looks that found nothing. */
const IDLE_MS = 100;
const IDLE_LOOKS = 40;

const RANK: readonly ChangeKind[] = ['progress', 'status', 'signal'];

/** Creates the watch of a database. It keeps the process alive while somebody listens. */
export function createChanges(db: Database): Changes {
  const listeners = new Set<(kind: ChangeKind) => void>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let version: unknown;
  let noted: ChangeKind | undefined;
  let looks = 0;

  const call = (): void => {
    const kind = noted ?? 'progress';
    noted = undefined;
    for (const listener of listeners) listener(kind);
  };
  const notify = (kind: ChangeKind): void => {
    looks = 0;
    if (listeners.size === 0) return;
    if (noted === undefined) setImmediate(call);
    if (noted === undefined || RANK.indexOf(kind) > RANK.indexOf(noted)) noted = kind;
  };
  /** The same as before for a file that cannot be read: whoever reads it next hears of that. */
  const dataVersion = (): unknown => {
    try {
      return db.get('PRAGMA data_version')?.['data_version'];
    } catch {
      return version;
    }
  };
  const poll = (): void => {
    looks += 1;
    // Counts the commits of other connections only; one's own are noted as they are made.
    const current = dataVersion();
    if (current !== version) {
      version = current;
      notify('signal');
    }
    timer = setTimeout(poll, looks > IDLE_LOOKS ? IDLE_MS : POLL_MS);
  };
  const stop = (): void => {
    clearTimeout(timer);
    timer = undefined;
  };
  return {
    notify,
    subscribe(listener) {
      listeners.add(listener);
      timer ??= setTimeout(poll, POLL_MS);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    close() {
      stop();
      listeners.clear();
    },
  };
}
