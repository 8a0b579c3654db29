import { type FileHandle, open } from 'node:fs/promises';
import { checkKeys, KernelError, optionKeys } from '@kernel/protocol';
import { acquireFileLock } from './file-lock.ts';
import { parseLog, toLine } from './log-format.ts';
import type { Session, SessionEntry } from './session.ts';
import { storeError } from './store-error.ts';

/** How a file session writes its log. */
export interface FileSessionOptions {
  /** Waits until each append is on the disk, not only with the operating system. Default false. */
  readonly fsync?: boolean | undefined;
}

const FILE_SESSION_KEYS = optionKeys<FileSessionOptions>(
  { fsync: true },
  { sync: 'Use "fsync".', flush: 'Use "fsync".' },
);

/**
 * Opens a session in a JSON Lines file, which is created with mode 0600 if it does not exist. Its id is made once and kept in the file, so
 * that it survives a move.
 *
 * Throws `SESSION_LOCKED` while another process or session has it open, and `CONFIG_INVALID` for a file that is not a session or is of a newer
 * version; such a file is not changed. A last line that a crash cut off is removed. A file that cannot be read or written is `STORE_FAILED`;
 * after a failed write, every later one fails too, until the session is opened again.
 */
export async function openFileSession(path: string, options: FileSessionOptions = {}): Promise<Session> {
  checkKeys('openFileSession', options, FILE_SESSION_KEYS);
  const { fsync = false } = options;
  const unlock = await acquireFileLock(path);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'a+', 0o600);
    const log = parseLog(await file.readFile('utf8'), path);
    if (log.byteLength < (await file.stat()).size) await file.truncate(log.byteLength);
    const handle = file;
    const entries = [...log.entries];
    const id = log.isNew ? crypto.randomUUID() : (log.id ?? path);
    if (log.isNew) await handle.appendFile(toLine({ session: 1, id }));
    let lastWrite: Promise<void> = Promise.resolve();
    let isClosed = false;
    const write = async (previous: Promise<void>, added: readonly SessionEntry[]): Promise<void> => {
      await previous;
      try {
        await handle.appendFile(added.map(toLine).join(''));
        if (fsync) await handle.sync();
      } catch (error) {
        throw storeError(`The session ${path} could not be written`, error);
      }
      entries.push(...added);
    };
    return {
      id,
      entries: () => Promise.resolve([...entries]),
      append(added) {
        if (isClosed) return Promise.reject(new KernelError('CONFIG_INVALID', `The session ${path} is closed.`));
        // One write after another, each of whole lines.
        lastWrite = write(lastWrite, added);
        return lastWrite;
      },
      async close() {
        if (isClosed) return;
        isClosed = true;
        await lastWrite.catch(() => {});
        await handle.close();
        await unlock();
      },
    };
  } catch (error) {
    await file?.close().catch(() => {});
    await unlock();
    throw storeError(`The session ${path} could not be opened`, error);
  }
}
