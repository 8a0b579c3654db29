import { type FileHandle, open } from 'node:fs/promises';
import { KernelError } from '@kernel/protocol';
import { acquireLock } from './file-lock.ts';
import { parseLog, toLine } from './log-format.ts';
import type { Session, SessionEntry } from './session.ts';

/** How a file session keeps its log. */
export interface FileSessionOptions {
  /** Waits until each append is on the disk, not only with the system. Default false. */
  readonly fsync?: boolean | undefined;
}

/**
 * Opens a session in a JSON-lines file, which is made with mode 0600 where there is none.
 *
 * Throws `SESSION_LOCKED` while another process or session has it, and `CONFIG_INVALID` for a file that is no session or a newer
 * version's; such a file is left as it is. A last line that a crash has torn is taken off.
 */
export async function openFileSession(path: string, { fsync = false }: FileSessionOptions = {}): Promise<Session> {
  const unlock = await acquireLock(path);
  let file: FileHandle | undefined;
  try {
    file = await open(path, 'a+', 0o600);
    const log = parseLog(await file.readFile('utf8'), path);
    if (log.soundBytes < (await file.stat()).size) await file.truncate(log.soundBytes);
    const handle = file;
    const entries = [...log.entries];
    let last: Promise<void> = log.isNew ? handle.appendFile(toLine({ session: 1 })) : Promise.resolve();
    let isClosed = false;
    const write = async (before: Promise<void>, more: readonly SessionEntry[]): Promise<void> => {
      await before;
      await handle.appendFile(more.map(toLine).join(''));
      if (fsync) await handle.sync();
      entries.push(...more);
    };
    return {
      id: path,
      entries: () => Promise.resolve([...entries]),
      append(more) {
        if (isClosed) return Promise.reject(new KernelError('CONFIG_INVALID', `The session ${path} is closed.`));
        // One write after another, each of whole lines.
        last = write(last, more);
        return last;
      },
      async close() {
        if (isClosed) return;
        isClosed = true;
        await last.catch(() => {});
        await handle.close();
        await unlock();
      },
    };
  } catch (error) {
    await file?.close();
    await unlock();
    throw error;
  }
}
