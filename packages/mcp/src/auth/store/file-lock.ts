import { constants, copyFile, link, readFile, rename, unlink, writeFile } from 'node:fs/promises';
import { delay, hasEnded, isObject, ownIdentity, parseJson } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** How often a lock that is held is looked at. */
const POLL_MS = 50;
/** How long a lock may be waited for: longer than a person has for signing in. */
const MAX_WAIT_MS = 6 * 60_000;

interface Holder {
  readonly token: string;
  readonly identity: Readonly<Record<string, unknown>>;
}

/**
 * Runs `work` while this process holds `<path>.lock`, which it waits for. The lock of a process that has ended is taken over, by one process only:
 * to do so, a process links the name that the old lock's token gives (`<path>.lock.<token>`), which only one can, and renames its own lock over the
 * old one. A process that ends between the two has itself been taken over from in the same way, so the last of that chain counts.
 */
export async function withFileLock<T>(path: string, work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
  const lockPath = `${path}.lock`;
  const token = crypto.randomUUID();
  const ownPath = `${lockPath}.${token}.new`;
  await writeFile(ownPath, JSON.stringify({ ...ownIdentity(), token }), { flag: 'wx', mode: 0o600 });
  try {
    const start = performance.now();
    // oxlint-disable-next-line no-await-in-loop -- waits for another process
    while (!(await tryAcquire(lockPath, ownPath))) {
      if (performance.now() - start > MAX_WAIT_MS) throw heldError(lockPath);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await delay(POLL_MS, signal);
    }
  } finally {
    await remove(ownPath);
  }
  try {
    signal?.throwIfAborted();
    return await work();
  } finally {
    const holder = await readHolder(lockPath).catch(() => undefined);
    if (holder?.token === token) await remove(lockPath);
  }
}

async function tryAcquire(lockPath: string, ownPath: string): Promise<boolean> {
  if (await linkNew(ownPath, lockPath)) return true;
  const first = await readHolder(lockPath);
  const successors: string[] = [];
  for (let last = first; last !== undefined && hasEnded(last.identity);) {
    const successor = `${lockPath}.${last.token}`;
    // oxlint-disable-next-line no-await-in-loop -- follows a chain
    if (await linkNew(ownPath, successor)) {
      // Whoever took over first has renamed before it removed its link: then the lock is another one by now.
      // oxlint-disable-next-line no-await-in-loop -- ends the loop
      const isSame = (await readHolder(lockPath))?.token === first?.token;
      // oxlint-disable-next-line no-await-in-loop -- ends the loop
      if (isSame) await rename(ownPath, lockPath);
      // oxlint-disable-next-line no-await-in-loop -- ends the loop
      for (const path of isSame ? [...successors, successor] : [successor]) await remove(path);
      return isSame;
    }
    successors.push(successor);
    // oxlint-disable-next-line no-await-in-loop -- follows a chain
    last = await readHolder(successor);
  }
  return false;
}

/** Who holds a lock; undefined if there is none, or what is there is none of ours: then it is waited for. */
async function readHolder(path: string): Promise<Holder | undefined> {
  try {
    const value = parseJson(await readFile(path, 'utf8'));
    const token = isObject(value) ? value['token'] : undefined;
    // A token becomes a part of a file name.
    if (!isObject(value) || typeof token !== 'string' || !/^[\da-f-]{36}$/.test(token)) return undefined;
    return { token, identity: value };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** What a file system answers that has no hard links. */
const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

/** Gives a file a second name, or a copy where there are no links; returns false if the name is taken. */
async function linkNew(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to).catch((error: unknown) => {
      if (!NO_LINKS.some((code) => hasCode(error, code))) throw error;
      return copyFile(from, to, constants.COPYFILE_EXCL);
    });
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path).catch(() => undefined); // gone already, or taken over later
}

function heldError(lockPath: string): KernelError {
  return new KernelError('STORE_FAILED', `The lock ${lockPath} was held for ${MAX_WAIT_MS / 60_000} minutes.`, {
    hint: 'Another process is signing in. If none is running, remove that file.',
    retryable: true,
  });
}

export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
