import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { Durable } from '@kernel/durable';
import { KernelError } from '@kernel/protocol';
import { stateFolder } from '../config/folders.ts';
import type { Host } from '../host.ts';
import { messageOf } from '../message-of.ts';
import type { Flags } from '../options/flags.ts';
import { oneLine } from '../render/escape.ts';
import { loadSqlite } from '../sessions/database/load-sqlite.ts';
import { makeFolder } from '../sessions/database/make-folder.ts';
import { usageError } from '../usage-error.ts';

/** Tables that every journal has. */
const TABLES = ['events', 'runs', 'signals', 'steps', 'waits'];

/** Returns the path of the journal: that of `--journal`, otherwise `runs.db` in the state folder. */
export function journalPath({ journal }: Pick<Flags, 'journal'>, host: Pick<Host, 'cwd' | 'env' | 'home'>): string {
  return journal === undefined ? join(stateFolder(host), 'runs.db') : resolve(host.cwd, journal);
}

/** Opens a journal like `openJournal`, creating it if it does not exist. */
export async function createJournal(path: string): Promise<Durable> {
  if (isFile(path)) return openJournal(path);
  loadSqlite(); // Node warns when SQLite is loaded for the first time.
  makeFolder(dirname(path));
  const { openDurable } = await import('@kernel/durable');
  return openDurable(path);
}

/** Opens a journal that is there. Rejects with a usage error that names the file for one that is absent, or is something else, which is left as it is. */
export async function openJournal(path: string): Promise<Durable> {
  const name = JSON.stringify(oneLine(path, 300));
  if (!isFile(path))
    throw usageError(
      `There is no journal ${name}. Name one with --journal FILE: the file that openDurable of @kernel/durable was given.`,
    );
  checkTables(path, name);
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

/** Opening a journal changes its mode and how it is written, so that the file of another program is only read before. */
function checkTables(path: string, name: string): void {
  // Node warns when SQLite is loaded for the first time.
  const { DatabaseSync } = loadSqlite();
  let tables: ReadonlySet<unknown>;
  try {
    const database = new DatabaseSync(path, { readOnly: true });
    try {
      const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
      tables = new Set(rows.map((row) => row['name']));
    } finally {
      database.close();
    }
  } catch (error) {
    throw usageError(`${name} cannot be read as a journal of runs: ${oneLine(messageOf(error))}.`);
  }
  if (!TABLES.every((table) => tables.has(table))) throw usageError(`${name} is not a journal of runs.`);
}
