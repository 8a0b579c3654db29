import type { DatabaseSync } from 'node:sqlite';
import { KernelError } from '@kernel/protocol';

/** What the program uses of `node:sqlite`. */
interface Sqlite {
  /** Opens a database. */
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

/** An open database. */
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

/** The primary result code of an error of SQLite; undefined for any other error. */
export function sqliteCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode % 256;
}
