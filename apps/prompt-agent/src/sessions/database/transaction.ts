import type { Database } from './load-sqlite.ts';

/** Runs something in one transaction that writes: all of it counts, or none. */
export function transaction<T>(database: Database, work: () => T): T {
  let isDone = false;
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    isDone = true;
    return result;
  } finally {
    if (!isDone) rollBack(database);
  }
}

/** SQLite itself has rolled back after some failures, such as a full disk. */
function rollBack(database: Database): void {
  try {
    database.exec('ROLLBACK');
  } catch {
    // There was nothing left to roll back.
  }
}
