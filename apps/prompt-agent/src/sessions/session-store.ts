import { join } from 'node:path';
import { KernelError } from '@kernel/protocol';
import type { Database } from './database/load-sqlite.ts';
import { newId } from './database/rows.ts';
import { openDatabase, saysDamaged, setAside, storeError } from './database/open-database.ts';
import { isRunning, lockProcess, type ProcessLock } from './database/process-lock.ts';

/** Opens the file of sessions in the program's state folder. Throws as `openDatabase` does. */
export function openStore(folder: string) {
  const { database, path, damaged } = openDatabase(folder);
  const marks = join(folder, 'session-writers');
  let own: ProcessLock | undefined;
  let isClosed = false;
  return {
    path,
    /** Where a damaged file was put, in whose place this one was made. */
    damaged,
    /** Works on the database. What fails is thrown as `STORE_FAILED`; a file that turns out to be damaged is set aside, and the error says where. */
    use<T>(work: (database: Database) => T): T {
      try {
        return work(database);
      } catch (error) {
        throw storeError(path, saysDamaged(error) ? whenDamaged(path, error) : error);
      }
    },
    /** The mark of this process, made at the first call. */
    ownMark: (): string => (own ??= lockProcess(marks, newId(database))).token,
    /** Whether the process of a mark still runs, this one included. */
    isRunning: (mark: string): boolean => own?.token === mark || isRunning(marks, mark),
    /** Closes the file. May be called twice. */
    close(): void {
      if (isClosed) return;
      isClosed = true;
      closeQuietly(database);
      own?.release();
    },
  };
}

export type SessionStore = ReturnType<typeof openStore>;

/** Says where a damaged file was put, and how to go on with what is in it. */
export function setAsideNote(damaged: string): string {
  return `note: the sessions database was damaged. It was set aside as ${damaged}, and a new one was started. To restore what can be read: prompt-agent sessions repair ${JSON.stringify(damaged)}`;
}

function whenDamaged(path: string, cause: unknown): unknown {
  try {
    const damaged = setAside(path);
    return damaged === undefined
      ? cause
      : new KernelError(
          'STORE_FAILED',
          `The sessions in ${path} cannot be used: the file is damaged and was set aside as ${damaged}.`,
          {
            hint: `Run it again, which begins a new file. To get back what can be read: prompt-agent sessions repair ${JSON.stringify(damaged)}`,
            cause,
          },
        );
  } catch {
    return cause;
  }
}

/** What was acknowledged is in the file: a last tidying up that finds no space changes nothing. */
function closeQuietly(database: Database): void {
  try {
    database.close();
  } catch {
    // The next process that opens the file finishes it.
  }
}
