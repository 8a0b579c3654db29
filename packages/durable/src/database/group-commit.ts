import { attempt, errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { ChangeKind } from './changes.ts';
import { type Database, isBusy } from './database.ts';

export interface Writer {
  /**
   * Runs `work` in a transaction and resolves to its return value once that is committed. All work submitted in one turn of the event loop shares a commit.
   * If `work` throws, only its own changes are undone. Rejects with `STORE_FAILED` if the file cannot be written.
   *
   * `work` may run more than once, so it must do nothing but read and write the database. `kind` tells what it changes; default `status`.
   */
  write<T>(this: void, work: () => T, kind?: ChangeKind): Promise<T>;
}

interface Job {
  readonly work: () => unknown;
  readonly kind: ChangeKind;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How soon to retry a file that another connection has locked, in milliseconds. */
const RETRY_MS = 5;
const MAX_BUSY_MS = 30_000;

/** Creates the writer of a database. After a commit, `onCommit` is called once for each kind of work that changed something. */
export function createGroupCommit(db: Database, onCommit: (kind: ChangeKind) => void): Writer {
  let queue: Job[] = [];
  let isScheduled = false;
  let busySinceMs: number | undefined;

  const schedule = (waitMs: number): void => {
    if (isScheduled) return;
    isScheduled = true;
    if (waitMs === 0) setImmediate(flush);
    else setTimeout(flush, waitMs);
  };

  /** Requeues jobs while the file is busy; rejects them if it stays busy or cannot be written at all. */
  const retryLater = (jobs: readonly Job[], error: unknown): void => {
    busySinceMs ??= performance.now();
    if (isBusy(error) && performance.now() - busySinceMs < MAX_BUSY_MS) {
      queue = [...jobs, ...queue];
      return schedule(RETRY_MS);
    }
    busySinceMs = undefined;
    for (const job of jobs) job.reject(writeFailed(error));
  };

  function flush(): void {
    isScheduled = false;
    const jobs = queue;
    queue = [];
    if (jobs.length === 0) return;
    const changed = new Set<ChangeKind>();
    let settled: readonly (() => void)[];
    try {
      settled = commit(jobs, runJob, changed) ?? commit(jobs, runAlone, changed) ?? [];
    } catch (error) {
      return retryLater(jobs, error);
    }
    busySinceMs = undefined;
    for (const settle of settled) settle();
    for (const kind of changed) onCommit(kind);
  }

  /** Commits the changes of all jobs. Returns undefined, with nothing changed, if a job failed that has no savepoint of its own. Throws if the file cannot be written. */
  function commit(
    jobs: readonly Job[],
    run: (job: Job) => (() => void) | undefined,
    changed: Set<ChangeKind>,
  ): readonly (() => void)[] | undefined {
    changed.clear();
    db.run('BEGIN IMMEDIATE');
    try {
      const settled: (() => void)[] = [];
      for (const job of jobs) {
        const before = db.changes();
        const settle = run(job);
        if (settle === undefined) {
          rollBack();
          return undefined;
        }
        settled.push(settle);
        if (db.changes() !== before) changed.add(job.kind);
      }
      db.run('COMMIT');
      return settled;
    } catch (error) {
      rollBack();
      throw error;
    }
  }

  /** Runs a job without a savepoint, since most succeed. Returns undefined if it fails. */
  function runJob({ work, resolve }: Job): (() => void) | undefined {
    try {
      const value = work();
      return () => resolve(value);
    } catch (error) {
      if (isBusy(error)) throw error;
      return undefined;
    }
  }

  function runAlone({ work, resolve, reject }: Job): () => void {
    db.run('SAVEPOINT job');
    try {
      const value = work();
      db.run('RELEASE job');
      return () => resolve(value);
    } catch (error) {
      if (isBusy(error)) throw error;
      undo(error);
      return () => reject(writeFailed(error));
    }
  }

  /** Undoes one job. Rethrows an error that has ended the whole transaction. */
  function undo(error: unknown): void {
    try {
      db.run('ROLLBACK TO job');
      db.run('RELEASE job');
    } catch {
      throw error;
    }
  }

  function rollBack(): void {
    attempt(() => db.run('ROLLBACK')); // the error may have ended the transaction already
  }

  return {
    write: <T>(work: () => T, kind: ChangeKind = 'status') =>
      new Promise<T>((resolve, reject) => {
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it is called with what `work` returns
        queue.push({ work, kind, resolve: resolve as (value: unknown) => void, reject });
        schedule(0);
      }),
  };
}

function writeFailed(error: unknown): KernelError {
  if (KernelError.is(error)) return error;
  return new KernelError('STORE_FAILED', `The journal cannot be written: ${errorMessage(error)}`, { cause: error });
}
