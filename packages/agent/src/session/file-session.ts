import { constants } from 'node:fs';
import { type FileHandle, open, realpath, stat } from 'node:fs/promises';
import { KernelError } from '@kernel/protocol';
import { acquireFileLock } from './file-lock.ts';
import { isUnreadable, parseLog, toLine } from './log-format.ts';
import type { Session, SessionEntry } from './session.ts';
import { damageError, type SessionDamage, replaceDamagedLog } from './session-damage.ts';
import { storeError } from './store-error.ts';

export type { SessionDamage } from './session-damage.ts';

/** How a file session writes its log. */
export interface FileSessionOptions {
  /** Waits until each append is on the disk, not only with the operating system. Default false. */
  readonly fsync?: boolean | undefined;
  /**
   * Opens a damaged session, too, as a crash of the system or an editor leaves it, without the lines that cannot be read, and is told what is missing. The file as it was stays
   * beside it. A call that may have started in such a line is not run again. Without this function a damaged session is refused, and not changed,
   * unless a cut last line is all of it.
   */
  readonly onDamage?: ((damage: SessionDamage) => void) | undefined;
}

/**
 * Opens a session in a JSON Lines file, which is created with mode 0600 if it does not exist. Its id is made once and kept in the file, so
 * that it survives a move.
 *
 * Throws `SESSION_LOCKED` while another process or session has it open, by this path or through a symbolic link, and `CONFIG_INVALID` for a
 * file that is not a session, is of a newer version, is damaged (see `onDamage`), or has another hard link; such a file is not changed. A last line that was cut off is left out, also without
 * `onDamage`, and stays in a copy. A file that cannot be read or written is `STORE_FAILED`;
 * after a failed write, every later one fails too, until the session is opened again.
 *
 * @example
 * ```ts
 * import { collect, runSession } from '@kernel/agent';
 * import { openFileSession } from '@kernel/agent/session-file';
 * import { createProvider } from '@kernel/providers';
 *
 * const session = await openFileSession('chat.jsonl', { fsync: true });
 * const messages = [{ role: 'user', content: 'Go on.' }] as const;
 * await collect(runSession({ session, provider: createProvider({ name: 'ollama' }), model: 'qwen3', messages }));
 * await session.close();
 * ```
 */
export async function openFileSession(path: string, options: FileSessionOptions = {}): Promise<Session> {
  const { fsync = false, onDamage } = options;
  const realPath = await resolveFile(path);
  const unlock = await acquireFileLock(realPath);
  let file: FileHandle | undefined;
  try {
    file = await open(realPath, OPEN_FLAGS, 0o600);
    await checkFile(file, path);
    const bytes = await file.readFile();
    let log = parseLog(bytes, path);
    const unreadable = log.parts.filter((part) => isUnreadable(part));
    if (unreadable.length > 0) {
      const refused = unreadable.filter(({ isCut, isRead }) => isCut !== true && isRead !== true);
      if (onDamage === undefined && refused.length > 0) throw damageError(path, refused);
    }
    // A line that was read stays as it is where nobody is told.
    if (unreadable.some(({ isRead }) => onDamage !== undefined || isRead !== true)) {
      await file.close();
      const damage = await replaceDamagedLog(realPath, bytes, log);
      file = await open(realPath, OPEN_FLAGS, 0o600);
      log = parseLog(await file.readFile(), path);
      onDamage?.(damage);
    }
    if (log.missing !== '') await file.appendFile(log.missing);
    const handle = file;
    const entries = log.parts.filter((part) => !isUnreadable(part));
    const { id = path } = log;
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
        unlock();
      },
    };
  } catch (error) {
    await file?.close().catch(() => {});
    unlock();
    throw storeError(`The session ${path} could not be opened`, error);
  }
}

/** Append only. A link that takes the place of the file meanwhile is not followed, and a FIFO is not waited for. */
const OPEN_FLAGS =
  constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The path of the file itself, behind symbolic links: what two writers of it have in common. Creates the file if it does not exist. */
async function resolveFile(path: string): Promise<string> {
  try {
    const real = await realpath(path).catch(() => undefined);
    if (real === undefined) await (await open(path, 'a', 0o600)).close();
    const info = await stat(path);
    if (!info.isFile() && !info.isDirectory())
      throw new KernelError('CONFIG_INVALID', `${path} is not a session: it is not a regular file.`);
    return real ?? (await realpath(path));
  } catch (error) {
    throw storeError(`The session ${path} could not be opened`, error);
  }
}

async function checkFile(file: FileHandle, path: string): Promise<void> {
  const info = await file.stat();
  if (!info.isFile()) throw new KernelError('CONFIG_INVALID', `${path} is not a session: it is not a regular file.`);
  if (info.nlink > 1)
    throw new KernelError(
      'CONFIG_INVALID',
      `${path} has ${info.nlink} hard links, so another writer could have it open.`,
      {
        hint: 'Make a copy of it and open that.',
      },
    );
}
