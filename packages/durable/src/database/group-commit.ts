import { KernelError } from '@kernel/protocol';
import { type Database, isBusy, reasonOf } from './database.ts';

/** Writes to a journal. */
export interface Writer {
  /**
   * Runs work in a transaction and resolves to what it returns, once that is committed. All work that is asked for in one turn of the event loop shares
   * one commit. What the work throws undoes its own changes only. Rejects with `STORE_FAILED` for a file that cannot be written.
   *
   * Work may run more than once, and must do nothing but read and write the database.
   */
  write<T>(this: void, work: () => T): Promise<T>;
}

interface Job {
  readonly work: () => unknown;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How soon a file that another connection holds is tried again, in milliseconds. */
const RETRY_MS = 5;
/** How long it is tried, in milliseconds. */
const MAX_BUSY_MS = 30_000;

/** Creates the writer of a database. `onCommit` is called after each commit that changed something. */
export function createGroupCommit(db: Database, onCommit: () => void): Writer {
  let queue: Job[] = [];
  let isScheduled = false;
  let busySinceMs: number | undefined;

  const schedule = (waitMs: number): void => {
    if (isScheduled) return;
    isScheduled = true;
    if (waitMs === 0) setImmediate(flush);
    else setTimeout(flush, waitMs);
  };

  /** Puts jobs off while the file is busy; rejects them if it stays so, or cannot be written at all. */
  const putOff = (jobs: readonly Job[], error: unknown): void => {
    busySinceMs ??= performance.now();
    if (isBusy(error) && performance.now() - busySinceMs < MAX_BUSY_MS) {
      queue = [...jobs, ...queue];
      return schedule(RETRY_MS);
    }
    busySinceMs = undefined;
    for (const job of jobs) job.reject(unwritten(error));
  };

  function flush(): void {
    isScheduled = false;
    const jobs = queue;
    queue = [];
    if (jobs.length === 0) return;
    const settled: (() => void)[] = [];
    const before = changesOf(db);
    try {
      db.exec('BEGIN IMMEDIATE');
    } catch (error) {
      return putOff(jobs, error);
    }
    try {
      for (const job of jobs) settled.push(attempt(job));
      db.exec('COMMIT');
    } catch (error) {
      rollBack();
      return putOff(jobs, error);
    }
    busySinceMs = undefined;
    for (const settle of settled) settle();
    if (changesOf(db) !== before) onCommit();
  }

  /** Runs one job; its own failure undoes its changes, that of the file those of all. */
  function attempt({ work, resolve, reject }: Job): () => void {
    db.exec('SAVEPOINT job');
    try {
      const value = work();
      db.exec('RELEASE job');
      return () => resolve(value);
    } catch (error) {
      if (isBusy(error)) throw error;
      undo(error);
      return () => reject(KernelError.is(error) ? error : unwritten(error));
    }
  }

  /** Undoes one job. A failure that has ended the whole transaction is thrown on. */
  function undo(error: unknown): void {
    try {
      db.exec('ROLLBACK TO job; RELEASE job');
    } catch {
      throw error;
    }
  }

  function rollBack(): void {
    try {
      db.exec('ROLLBACK');
    } catch {
      // the failure has ended the transaction already
    }
  }

  return {
    write: <T>(work: () => T) =>
      new Promise<T>((resolve, reject) => {
        // What `work` returns is what `resolve` takes.
        // eslint-disable-next-line typescript/no-unsafe-type-assertion
        queue.push({ work, resolve: resolve as (value: unknown) => void, reject });
        schedule(0);
      }),
  };
}

/** How many rows this connection has changed. */
function changesOf(db: Database): unknown {
  return db.get('SELECT total_changes() AS n')?.['n'];
}

function unwritten(error: unknown): KernelError {
  return new KernelError('STORE_FAILED', `The journal cannot be written: ${reasonOf(error)}`, { cause: error });
}
