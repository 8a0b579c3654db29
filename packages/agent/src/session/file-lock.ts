import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { delay, hasEnded, isObject, ownIdentity, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { storeError } from './store-error.ts';

/** How old a lock without content must be to count as what a crash left. Earlier releases created a lock first and then wrote to it. */
const EMPTY_MS = 500;
/** How often the lock may change while it is read. Each time, another process got it or gave it back. */
const MAX_ROUNDS = 50;

interface Lock {
  readonly token: string;
  /** The identity of the process that wrote it; absent for one that an earlier release wrote, or nobody. */
  readonly holder?: Readonly<Record<string, unknown>>;
  /** What an earlier release wrote. */
  readonly text: string;
  /** Time since it was written, in milliseconds. */
  readonly ageMs: number;
}

/**
 * Acquires the lock of a file (`<path>.lock`, which names a process) and returns a function that releases it. Throws `SESSION_LOCKED`
 * while the process that holds it runs, or may run where this one cannot see it; the lock of a process that has ended is taken over, by one process only.
 *
 * A lock is written to a file of its own and then linked, so none is ever empty. To take over, a process links the name that the old lock's
 * token gives (`<path>.lock.<token>`), which only one can, and then renames its own lock over the old one. A process that ends between the
 * two has itself been taken over from in the same way, so the last of that chain counts.
 */
export async function acquireFileLock(path: string): Promise<() => void> {
  const lockPath = `${path}.lock`;
  const token = crypto.randomUUID();
  const ownPath = `${lockPath}.${token}.new`;
  try {
    writeFileSync(ownPath, JSON.stringify({ ...ownIdentity(), token }), { flag: 'wx', mode: 0o600 });
    for (let round = 1; round <= MAX_ROUNDS; round += 1) {
      const state = tryAcquire(lockPath, ownPath);
      if (state === 'acquired') return () => release(lockPath, token);
      // oxlint-disable-next-line no-await-in-loop -- waits until a lock without content is old enough
      if (state.holder === undefined && state.text === '') await delay(Math.max(1, EMPTY_MS - state.ageMs));
      else if (state.token !== '') throw lockedError(path, lockPath, state);
    }
    throw lockedError(path, lockPath, undefined);
  } catch (error) {
    throw storeError(`The lock ${lockPath} could not be created`, error);
  } finally {
    removeFile(ownPath);
  }
}

/** A lock that changed while it was read. */
const CHANGED: Lock = { token: '', text: 'changed', ageMs: 0 };

function tryAcquire(lockPath: string, ownPath: string): 'acquired' | Lock {
  if (linkNew(ownPath, lockPath)) return 'acquired';
  const first = readLock(lockPath);
  if (first === undefined) return CHANGED;
  const successors: string[] = [];
  let last = first;
  for (;;) {
    if (isHeld(last)) return last;
    const successorPath = `${lockPath}.${last.token}`;
    if (linkNew(ownPath, successorPath)) {
      // Whoever took over first has renamed before it removed its link: then the lock is another one by now.
      if (readLock(lockPath)?.token !== first.token) {
        removeFile(successorPath);
        return CHANGED;
      }
      renameSync(ownPath, lockPath);
      for (const path of [...successors, successorPath]) removeFile(path);
      return 'acquired';
    }
    const successor = readLock(successorPath);
    if (successor === undefined) return CHANGED;
    successors.push(successorPath);
    last = successor;
  }
}

function isHeld(lock: Lock): boolean {
  if (lock.holder !== undefined) return !hasEnded(lock.holder);
  if (lock.text === '') return lock.ageMs < EMPTY_MS;
  return mayHaveWritten(Number(lock.text));
}

/** Whether a process of this id, which an earlier release wrote into a lock, may be the one that did. */
function mayHaveWritten(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid <= 0 || pid === process.pid) return false;
  if (hasEnded({ ...ownIdentity(), start: undefined, pid })) return false;
  // The first process of a machine always runs. It is a writer only in a container, where it is a program like this one.
  return pid !== 1 || nameOf('1') === nameOf('self');
}

function nameOf(pid: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/comm`, 'utf8');
  } catch {
    return undefined;
  }
}

function release(lockPath: string, token: string): void {
  try {
    if (readLock(lockPath)?.token === token) removeFile(lockPath);
  } catch {
    // It cannot be read any more. Once this process has ended, it is taken over.
  }
}

/** Reads a lock; undefined if there is none. */
function readLock(path: string): Lock | undefined {
  try {
    const { ino, mtimeMs, text } = readStart(path);
    const ageMs = Math.max(0, Date.now() - mtimeMs);
    const value = parse(text);
    if (
      isObject(value) &&
      isToken(value['token']) &&
      typeof value['pid'] === 'number' &&
      typeof value['host'] === 'string'
    ) {
      return { token: value['token'], holder: value, text, ageMs };
    }
    return { token: `${ino}-${Math.round(mtimeMs)}`, text, ageMs };
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

/** Reads the first bytes of a lock. A pipe or a device in its place, also behind a link, is not waited for and is not read. */
function readStart(path: string): { readonly ino: number; readonly mtimeMs: number; readonly text: string } {
  const file = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    const buffer = Buffer.alloc(4096);
    const text = buffer.toString('utf8', 0, readSync(file, buffer, 0, buffer.length, 0)).trim();
    return { ino: stats.ino, mtimeMs: stats.mtimeMs, text };
  } finally {
    closeSync(file);
  }
}

/** A token becomes a part of a file name. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[\da-f-]{36}$/.test(value);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Links a file to a new name; returns false if the name is taken. */
function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    if (!NO_LINKS.some((code) => hasCode(error, code))) throw error;
    return copyNew(from, to);
  }
}

const NO_LINKS = ['EPERM', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'];

function copyNew(from: string, to: string): boolean {
  try {
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (hasCode(error, 'EEXIST')) return false;
    throw error;
  }
}

function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone already, or will be taken over.
  }
}

function lockedError(path: string, lockPath: string, lock: Lock | undefined): KernelError {
  const { holder } = lock ?? {};
  const where =
    holder === undefined
      ? `process ${lock?.text ?? 'unknown'}`
      : `process ${String(holder['pid'])} on ${String(holder['host'])}`;
  const isSeen = lock === undefined || holder === undefined || isSeenFromHere(holder);
  const far = isSeen ? '' : ', a container or machine whose processes cannot be seen from here';
  const since = new Date(Date.now() - (lock?.ageMs ?? 0)).toISOString();
  return new KernelError('SESSION_LOCKED', `The session ${path} is open in ${sliceHead(where, 100)}${far}.`, {
    hint: isSeen
      ? `Close it there, or remove ${lockPath} if no such process is running.`
      : `It was opened there at ${since}. Close it there, or check that this container or machine has stopped (with "docker ps" or your cluster's tools), then remove ${lockPath}. If it still runs, two processes would write the session.`,
    retryable: true,
  });
}

/** Whether this process would see whether the holder of a lock has ended. */
function isSeenFromHere(holder: Readonly<Record<string, unknown>>): boolean {
  const own: Readonly<Record<string, unknown>> = { ...ownIdentity() };
  return ['machine', 'boot', 'namespace'].every((field) => holder[field] === own[field]);
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
