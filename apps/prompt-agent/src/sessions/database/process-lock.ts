import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../files/paths.ts';
import { type Database, loadSqlite, SQLITE, sqliteCode } from './load-sqlite.ts';

/**
 * Marks this process as one that runs: with the lock of an empty SQLite database of its own, which the system gives back when the process ends,
 * however it ends. No other process may ever get the same token, so a mark that can be locked belongs to one that has ended.
 */
export function lockProcess(folder: string, token: string) {
  makeFolder(folder);
  const database = lock(folder, token);
  return {
    token,
    release(): void {
      database.close();
      removeMark(folder, token);
    },
  };
}

export type ProcessLock = ReturnType<typeof lockProcess>;

/** Whether the process that made a mark still runs. What one that has ended left is removed. */
export function isRunning(folder: string, token: string): boolean {
  let database: Database | undefined;
  try {
    database = lock(folder, token, false);
  } catch (error) {
    if (sqliteCode(error) === SQLITE.busy) return true;
    if (sqliteCode(error) === SQLITE.cannotOpen) return false;
    throw error;
  }
  database.close();
  removeMark(folder, token);
  return false;
}

/** Removes the file of a mark; one that stays, as it may on Windows, is an empty file. */
function removeMark(folder: string, token: string): void {
  try {
    rmSync(pathOf(folder, token), { force: true });
  } catch {
    // Another process looks at it.
  }
}

function pathOf(folder: string, token: string): string {
  return join(folder, `${token}.lock`);
}

function lock(folder: string, token: string, isNew = true): Database {
  const { DatabaseSync } = loadSqlite();
  const path = pathOf(folder, token);
  // An address with mode=rw opens only what is there.
  const database = new DatabaseSync(isNew ? path : fileAddress(path));
  try {
    database.exec('BEGIN EXCLUSIVE');
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

function fileAddress(path: string): string {
  return `file:${encodeURI(path).replaceAll('?', '%3f').replaceAll('#', '%23')}?mode=rw`;
}
