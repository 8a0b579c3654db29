import { KernelError } from '@kernel/protocol';
import type { ChangeKind } from './changes.ts';
import { type Database, isBusy, reasonOf } from './database.ts';

/** Writes to a journal. */
export interface Writer {
  /**
   * Runs work in a transaction and resolves to what it returns, once that is committed. All work that is asked for in one turn of the event loop shares
   * one commit. What the work throws undoes its own changes only. Rejects with `STORE_FAILED` for a file that cannot be written.
   *
   * Work may run more than once, and must do nothing but read and write the database. `kind` says what its changes are about; default `status`.
   */
  write<T>(this: void, work: () => T, kind?: ChangeKind): Promise<T>;
}

interface Job {
  readonly work: () => unknown;
  readonly kind: ChangeKind;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/** How soon a file that another connection holds is tried again, in milliseconds. */
const RETRY_MS = 5;
/** How long it is tried, in milliseconds. */
const MAX_BUSY_MS = 30_000;

/** Creates the writer of a database. `onCommit` is called after each commit that changed something, for each kind of work that did. */
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
    const changed = new Set<ChangeKind>();
    let settled: readonly (() => void)[];
    try {
      settled = commit(jobs, runJob, changed) ?? commit(jobs, runAlone, changed) ?? [];
    } catch (error) {
      return putOff(jobs, error);
    }
    busySinceMs = undefined;
    for (const settle of settled) settle();
    for (const kind of changed) onCommit(kind);
  }

  /** Commits the changes of all jobs. Undefined, and nothing changed: a job failed that was not isolated from the others. Throws what the file fails with. */
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

  /** Runs a job as most of them go: without a failure. Undefined for one that fails. */
  function runJob({ work, resolve }: Job): (() => void) | undefined {
    try {
      const value = work();
      return () => resolve(value);
    } catch (error) {
      if (isBusy(error)) throw error;
      return undefined;
    }
  }

  /** Runs a job so that its own failure undoes its changes only. */
  function runAlone({ work, resolve, reject }: Job): () => void {
    db.run('SAVEPOINT job');
    try {
      const value = work();
      db.run('RELEASE job');
      return () => resolve(value);
    } catch (error) {
      if (isBusy(error)) throw error;
      undo(error);
      return () => reject(unwritten(error));
    }
  }

  /** Undoes one job. A failure that has ended the whole transaction is thrown on. */
  function undo(error: unknown): void {
    try {
      db.run('ROLLBACK TO job');
      db.run('RELEASE job');
    } catch {
      throw error;
    }
  }

  function rollBack(): void {
    try {
      db.run('ROLLBACK');
    } catch {
      // the failure has ended the transaction already
    }
  }

  return {
    write: <T>(work: () => T, kind: ChangeKind = 'status') =>
      new Promise<T>((resolve, reject) => {
        // What `work` returns is what `resolve` takes.
        // eslint-disable-next-line typescript/no-unsafe-type-assertion
        queue.push({ work, kind, resolve: resolve as (value: unknown) => void, reject });
        schedule(0);
      }),
  };
}

function unwritten(error: unknown): KernelError {
  if (KernelError.is(error)) return error;
  return new KernelError('STORE_FAILED', `The journal cannot be written: ${reasonOf(error)}`, { cause: error });
}
