import type { DatabaseSync } from 'node:sqlite';
import { KernelError } from '@kernel/protocol';

interface Sqlite {
  readonly DatabaseSync: typeof DatabaseSync;
}

/** Loads Node's SQLite; throws `STORE_FAILED` where it was built without. Node 22 warns on stderr that it is experimental, once for each process; users of this program need not read that. */
export function loadSqlite(): Sqlite {
  const emitWarning = Reflect.get(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    const sqlite: Sqlite | undefined = process.getBuiltinModule('node:sqlite');
    if (sqlite === undefined)
      throw new KernelError('STORE_FAILED', `Sessions need SQLite, and this Node (${process.version}) has none.`, {
        hint: 'Use Node 22.19 or later.',
      });
    return sqlite;
  } finally {
    process.emitWarning = emitWarning;
  }
}

export type Database = DatabaseSync;

/** SQLite's primary result codes that the program tells apart. */
export const SQLITE = {
  busy: 5,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode % 256;
}

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
