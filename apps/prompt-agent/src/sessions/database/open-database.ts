import { chmodSync, closeSync, existsSync, openSync, readSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { makeFolder } from '../../files/paths.ts';
import { numberOf } from '../event-fields.ts';
import { type Database, loadSqlite, SQLITE, sqliteCode, transaction } from './load-sqlite.ts';
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from './schema.ts';

const DATABASE_NAME = 'sessions.db';

/** How long a process waits for another one that writes. Each write takes less than a millisecond. */
const WAIT_MS = 5000;
/** How long it waits before it tries again where SQLite does not wait itself. */
const PAUSE_MS = 5;
/** The header of SQLite's file format, and where in it the application id is. */
const HEADER_BYTES = 100;
const ID_OFFSET = 68;

/**
 * Opens the file of sessions in a folder: mode 0600, in a folder of mode 0700, both made if they are missing. A damaged file is renamed, and a new one
 * made. Throws `CONFIG_INVALID` for a file of a newer version and for another program's, which are left as they are, and `STORE_FAILED` for one that
 * cannot be read or written.
 */
export function openDatabase(folder: string) {
  const path = join(folder, DATABASE_NAME);
  try {
    makeFolder(folder);
    createFile(path);
    try {
      return { database: openFile(path), path, damaged: undefined };
    } catch (error) {
      if (!saysDamaged(error)) throw error;
      const damaged = setAside(path);
      createFile(path);
      return { database: openFile(path), path, damaged };
    }
  } catch (error) {
    throw storeError(path, error);
  }
}

/** Creates the file with its mode: SQLite gives what it keeps beside a file the same. */
function createFile(path: string): void {
  const info = statSync(path, { throwIfNoEntry: false });
  if (info === undefined) closeSync(openSync(path, 'a', 0o600));
  else if (!info.isFile()) throw new Error('it is not a regular file');
  // SQLite takes a very short file for an empty database, and writes over it.
  else if (info.size > 0 && info.size < HEADER_BYTES) throw foreignError(path);
  else if (info.mode % 0o100 !== 0 && isOwn(path)) chmodSync(path, 0o600);
}

/** Whether a file is one of this program's, by the header of SQLite: the mode of another's, which a link may lead to, is not changed. */
function isOwn(path: string): boolean {
  const file = openSync(path, 'r');
  try {
    const header = Buffer.alloc(HEADER_BYTES);
    return (
      readSync(file, header, 0, HEADER_BYTES, 0) === HEADER_BYTES && header.readUInt32BE(ID_OFFSET) === APPLICATION_ID
    );
  } finally {
    closeSync(file);
  }
}

/** Opens the file. A full disk has no room for the index that processes share, which a process alone does not need. */
function openFile(path: string): Database {
  try {
    return openWith(path, '');
  } catch (error) {
    const code = sqliteCode(error);
    if (code !== SQLITE.full && code !== SQLITE.ioError) throw error;
    return openWith(path, 'PRAGMA locking_mode = EXCLUSIVE');
  }
}

function openWith(path: string, mode: string): Database {
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path, { timeout: WAIT_MS, enableForeignKeyConstraints: true });
  try {
    database.exec(mode);
    prepareTables(database, path);
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function prepareTables(database: Database, path: string): void {
  const version = (): number => numberOf(database.prepare('PRAGMA user_version').get(), 'user_version');
  const found = version();
  if (found > SCHEMA_VERSION)
    throw new KernelError(
      'CONFIG_INVALID',
      `${path} is of version ${found}; this program reads up to version ${SCHEMA_VERSION}.`,
      { hint: 'Use a newer version of this program, or another folder (XDG_STATE_HOME). The file was not changed.' },
    );
  const application = numberOf(database.prepare('PRAGMA application_id').get(), 'application_id');
  if (found === SCHEMA_VERSION && application === APPLICATION_ID) return;
  const tables = numberOf(database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get(), 'tables');
  if (found !== 0 || (tables > 0 && version() === 0)) throw foreignError(path);
  switchToWal(database);
  // Another process may have made the tables meanwhile.
  transaction(database, () => {
    if (version() === 0) database.exec(SCHEMA);
  });
}

function foreignError(path: string): KernelError {
  return new KernelError('CONFIG_INVALID', `${path} is a file of another program.`, {
    hint: 'Move it elsewhere, or use another folder (XDG_STATE_HOME). The file was not changed.',
  });
}

/** Readers and one writer at a time then do not wait for each other. While others begin to use the file, SQLite may refuse to switch at once. */
function switchToWal(database: Database): void {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      database.exec('PRAGMA journal_mode = WAL');
      return;
    } catch (error) {
      if (sqliteCode(error) !== SQLITE.busy || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}

const HINTS: Readonly<Record<number, string>> = {
  [SQLITE.busy]: 'Other processes write to it all the time. Try again.',
  [SQLITE.full]: 'Free some space on the disk.',
  [SQLITE.ioError]: 'The disk may be full: free some space on it.',
  [SQLITE.readOnly]: 'Make it writable, or use another folder (XDG_STATE_HOME).',
  [SQLITE.cannotOpen]: 'Make the folder writable, or use another one (XDG_STATE_HOME).',
};

/** The error for a file of sessions that cannot be used: what happened, and what to do. A `KernelError` is returned as it is. */
export function storeError(path: string, error: unknown): KernelError {
  if (KernelError.is(error)) return error;
  const reason = errorMessage(error);
  const hint = HINTS[sqliteCode(error) ?? 0] ?? 'Make the folder writable, or use another one (XDG_STATE_HOME).';
  return new KernelError('STORE_FAILED', `The sessions in ${path} cannot be used: ${reason}.`, { hint, cause: error });
}

export function saysDamaged(error: unknown): boolean {
  const code = sqliteCode(error);
  return code === SQLITE.corrupt || code === SQLITE.notADatabase;
}

/**
 * Renames a damaged database, with what SQLite keeps beside it, and returns its new path. Another process may have found the damage too: one after
 * another looks at it again, and undefined is returned if the file is in order by now.
 */
export function setAside(path: string): string | undefined {
  const { DatabaseSync } = loadSqlite();
  const lock = new DatabaseSync(join(dirname(path), 'sessions.lock'), { timeout: WAIT_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    if (!isDamaged(path)) return undefined;
    const target = targetFor(path);
    for (const suffix of ['', '-wal', '-shm'])
      if (existsSync(path + suffix)) renameSync(path + suffix, target + suffix);
    return target;
  } finally {
    lock.close();
  }
}

function isDamaged(path: string): boolean {
  if (!existsSync(path)) return false;
  const { DatabaseSync } = loadSqlite();
  const database = new DatabaseSync(path, { timeout: WAIT_MS });
  try {
    const row = database.prepare('PRAGMA quick_check(1)').get();
    return row?.['quick_check'] !== 'ok';
  } catch (error) {
    if (saysDamaged(error)) return true;
    throw error;
  } finally {
    database.close();
  }
}

function targetFor(path: string): string {
  const stamp = new Date().toISOString().slice(0, 19).replaceAll(':', '-');
  const name = join(dirname(path), `${basename(path, '.db')}.damaged-${stamp}`);
  return existsSync(`${name}.db`) ? `${name}-${crypto.randomUUID().slice(0, 8)}.db` : `${name}.db`;
}
