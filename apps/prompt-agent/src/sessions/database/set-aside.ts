import { existsSync, renameSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { loadSqlite, SQLITE, sqliteCode } from './load-sqlite.ts';

const WAIT_MS = 5000;

/** Whether an error says that a file is damaged, or no database at all. */
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
