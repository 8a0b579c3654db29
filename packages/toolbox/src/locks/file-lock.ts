import { closeSync, constants, lstatSync, openSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { quote, toolError } from '../workspace/errors.ts';

const WAIT_MS = 10_000;
const SQLITE_BUSY = 5;

/**
 * Runs a function while this call holds the lock file at a path, exclusively across processes, such as `permissions.json.lock` for the file next to
 * it. The lock file is created if it does not exist, in an existing folder, and is not removed. It is an empty SQLite database, whose lock the system
 * releases when a process ends, however it ends. Rejects if the lock is not free within ten seconds.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  prepare(path);
  const { DatabaseSync } = await import('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    const deadline = Date.now() + WAIT_MS;
    while (!tryLock(database)) {
      if (Date.now() > deadline) throw toolError(`${quote(path)} is locked by another process. Try again.`);
      await sleep(2 + Math.random() * 20, undefined, { signal });
    }
    signal?.throwIfAborted();
    return await work();
  } finally {
    database.close();
  }
}

function tryLock(database: { exec(sql: string): void }): boolean {
  try {
    database.exec('BEGIN EXCLUSIVE');
    return true;
  } catch (error) {
    if (error instanceof Error && 'errcode' in error && error.errcode === SQLITE_BUSY) return false;
    throw error;
  }
}

/** Makes the file, for this user only. Anything but a plain file in its place is refused: a link would lead the lock elsewhere. */
function prepare(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false });
  if (there === undefined)
    closeSync(openSync(path, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600));
  else if (!there.isFile()) throw toolError(`${quote(path)} is not a plain file, so it cannot be a lock.`);
}
