import { errorMessage } from '@kernel/internal';
import { chmodSync, closeSync, openSync, readSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue, type SQLOutputValue } from 'node:sqlite';
import { KernelError } from '@kernel/protocol';
import { SCHEMA, SCHEMA_VERSION } from './schema.ts';

export type Row = Readonly<Record<string, SQLOutputValue>>;

export type Database = ReturnType<typeof wrap>;

const MEMORY = ':memory:';
const MAGIC = 'SQLite format 3\0';
/** Tables that tell a journal from a database of another program, whose version may be the same number. */
const TABLES = ['runs', 'steps', 'signals', 'waits', 'inbox', 'events', 'workers'];

const DAMAGED =
  'If the file is damaged, move it away and put a copy in its place, or start with a new one; `sqlite3 FILE .recover` shows what can be read of it.';

/** What a commit survives: a crash of the process, or a power loss as well. */
export type Durability = 'process' | 'power';

/**
 * Opens or creates a journal file, readable by its owner only. Throws `STORE_FAILED` for a file that is not a journal, was written by a newer release, or
 * cannot be opened.
 */
export function openDatabase(path: string, durability: Durability): Database {
  try {
    const isFile = path !== MEMORY;
    if (isFile) checkFile(path);
    const db = new DatabaseSync(path);
    // Another process may be creating the tables.
    db.exec('PRAGMA busy_timeout = 5000');
    const version = checkVersion(db, path);
    // Not before the check: the file of another program must stay untouched.
    if (isFile) chmodSync(path, 0o600);
    db.exec('PRAGMA journal_mode = WAL; PRAGMA secure_delete = ON; PRAGMA foreign_keys = ON;');
    db.exec(`PRAGMA synchronous = ${durability === 'power' ? 'FULL' : 'NORMAL'};`);
    if (version === 0) db.exec(`BEGIN IMMEDIATE; ${SCHEMA}; PRAGMA user_version = ${SCHEMA_VERSION}; COMMIT;`);
    // From here on a busy file is retried later, because waiting for a lock would block the whole process.
    db.exec('PRAGMA busy_timeout = 20');
    return wrap(db);
  } catch (error) {
    if (KernelError.is(error)) throw error;
    throw new KernelError(
      'STORE_FAILED',
      `The journal ${JSON.stringify(path)} cannot be opened: ${errorMessage(error)}`,
      { hint: DAMAGED, cause: error },
    );
  }
}

export function closedError(): KernelError {
  return new KernelError('STORE_FAILED', 'The journal is closed.', { hint: 'Open it again with openDurable().' });
}

export function reading<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (KernelError.is(error)) throw error;
    throw new KernelError('STORE_FAILED', `The journal cannot be read: ${errorMessage(error)}`, {
      hint: DAMAGED,
      cause: error,
    });
  }
}

/** Whether an error says that another connection holds the file: SQLITE_BUSY or SQLITE_LOCKED. */
export function isBusy(error: unknown): boolean {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'errcode') : undefined;
  return typeof code === 'number' && ((code & 0xff) === 5 || (code & 0xff) === 6);
}

/** Creates a file that is not there. Throws for one that SQLite would take for empty, and write over, but that has something in it. */
function checkFile(path: string): void {
  const file = openSync(path, 'a+', 0o600);
  try {
    const start = Buffer.alloc(MAGIC.length);
    const length = readSync(file, start, 0, start.length, 0);
    if (length > 0 && start.toString('latin1') !== MAGIC) throw new Error('file is not a database');
  } finally {
    closeSync(file);
  }
}

/** Returns the version of the tables; 0 for a file without any. Throws for a file that is not a journal of this release. */
function checkVersion(db: DatabaseSync, path: string): number {
  // In one transaction: another process may be creating the tables.
  db.exec('BEGIN');
  const version = Number(db.prepare('PRAGMA user_version').get()?.['user_version']);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  db.exec('COMMIT');
  if (version === SCHEMA_VERSION && TABLES.every((table) => tables.some(({ name }) => name === table))) return version;
  if (version > SCHEMA_VERSION)
    throw new KernelError('STORE_FAILED', `The journal ${JSON.stringify(path)} was written by a newer release.`, {
      hint: `Its version is ${version}; this release reads ${SCHEMA_VERSION}. Update @kernel/durable.`,
    });
  if (tables.length > 0 || version !== 0)
    throw new KernelError('STORE_FAILED', `${JSON.stringify(path)} is a database of another program.`, {
      hint: 'Give the journal a file of its own.',
    });
  return 0;
}

function wrap(db: DatabaseSync) {
  const statements = new Map<string, ReturnType<DatabaseSync['prepare']>>();
  let isClosed = false;
  const prepare = (sql: string): ReturnType<DatabaseSync['prepare']> => {
    if (isClosed) throw closedError();
    const known = statements.get(sql) ?? db.prepare(sql);
    statements.set(sql, known);
    return known;
  };
  let changed = 0;
  return {
    exec: (sql: string): void => db.exec(sql),
    /** Runs one statement and returns how many rows it changed. */
    run: (sql: string, ...values: readonly SQLInputValue[]): number => {
      const count = Number(prepare(sql).run(...values).changes);
      changed += count;
      return count;
    },
    /** How many rows `run` has changed so far. */
    changes: () => changed,
    get: (sql: string, ...values: readonly SQLInputValue[]): Row | undefined => prepare(sql).get(...values),
    all: (sql: string, ...values: readonly SQLInputValue[]): readonly Row[] => prepare(sql).all(...values),
    close: (): void => {
      isClosed = true;
      db.close();
    },
  };
}
