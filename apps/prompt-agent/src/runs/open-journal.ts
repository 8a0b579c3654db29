import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Durable } from '@kernel/durable';
import { errorMessage } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { stateFolder } from '../config/folders.ts';
import { usageError } from '../exit-code.ts';
import { makeFolder } from '../files/paths.ts';
import type { Host } from '../host.ts';
import type { Flags } from '../options/flags.ts';
import { oneLine } from '../output/escape.ts';
import { loadSqlite } from '../sessions/database/load-sqlite.ts';

/** Tables that every journal has. */
const TABLES = ['events', 'runs', 'signals', 'steps', 'waits'];

/** Returns the path of the journal: that of `--journal`, otherwise `runs.db` in the state folder. */
export function journalPath({ journal }: Pick<Flags, 'journal'>, host: Pick<Host, 'cwd' | 'env' | 'home'>): string {
  return journal === undefined ? join(stateFolder(host), 'runs.db') : resolve(host.cwd, journal);
}

/** Opens a journal like `openJournal`, creating it if it does not exist. */
export async function createJournal(path: string): Promise<Durable> {
  // One without tables is what a process left that was killed while it created the journal.
  if (isFile(path)) return tablesOf(path, shownPath(path)).size > 0 ? openJournal(path) : openFile(path);
  loadSqlite(); // Node warns when SQLite is loaded for the first time.
  makeFolder(dirname(path));
  const { openDurable } = await import('@kernel/durable');
  return openDurable(path);
}

/** Opens a journal that is there. Rejects with a usage error that names the file for one that is absent, or is something else, which is left as it is. */
export async function openJournal(path: string): Promise<Durable> {
  const name = shownPath(path);
  if (!isFile(path))
    throw usageError(
      `There is no journal ${name}. Name one with --journal FILE: the file that openDurable of @kernel/durable was given.`,
    );
  // Opening a journal changes its mode and how it is written, so that the file of another program is only read before.
  const tables = tablesOf(path, name);
  if (!TABLES.every((table) => tables.has(table))) throw usageError(`${name} is not a journal of runs.`);
  return openFile(path);
}

/** Opens a file that is there. Rejects with a usage error for one that is not for a journal. */
async function openFile(path: string): Promise<Durable> {
  const { openDurable } = await import('@kernel/durable');
  try {
    return openDurable(path);
  } catch (error) {
    if (!KernelError.is(error)) throw error;
    throw usageError(`${error.message} ${error.hint ?? ''}`.trimEnd());
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}

function shownPath(path: string): string {
  return JSON.stringify(oneLine(path, 300));
}

/** The names of the tables of a database file, which is only read. Throws a usage error for a file that is none. */
function tablesOf(path: string, name: string): ReadonlySet<unknown> {
  // Node warns when SQLite is loaded for the first time.
  const { DatabaseSync } = loadSqlite();
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      return new Set(rows.map((row) => row['name']));
    } finally {
      database.close();
    }
  } catch (error) {
    throw usageError(
      `${name} cannot be read as a journal of runs: ${oneLine(errorMessage(error))}. It was not changed. Name another one with --journal FILE, or move it away to start a new one.`,
    );
  }
}
