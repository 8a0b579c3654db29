import { attempt, hasEnded, isObject, ownIdentity, sha256Hex } from '@kernel/internal';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  futimesSync,
  lstatSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  write,
  writeSync,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf, toolError, quote } from '../errors.ts';
import type { FileInfo } from '../types.ts';
import { infoOf, versionOf } from './guard.ts';
import type { OpenPath } from './open-path.ts';

const TEMPORARY = /^\.toolbox-[0-9a-f]{16}\.tmp$/;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
/** How long another process may hold the lock of a file, in milliseconds. Its step takes microseconds, but the process may be held up. */
const MAX_LOCKED_MS = 10_000;
/** How old a lock without content must be to count as what a killed process left. It is written right after it was made. */
const MAX_EMPTY_MS = 2000;

/** Whether a name is that of a file that was being written, which a crash may have left. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

const writeSome = promisify(write);
const flush = promisify(fsync);

interface Replacement {
  readonly asked: string;
  readonly path: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly before: FileInfo | undefined;
  readonly mode: number | undefined;
  /** Aborts it while nothing has changed yet. */
  readonly signal: AbortSignal | undefined;
  readonly onVersion: ((version: string) => void) | undefined;
  /** Checks once more, right before the new file takes the place of the old one. */
  check(): void;
}

/** Writes a new file beside the old one, whole and on the disk, and gives it its name: at any moment the name has one or the other. */
export async function replaceFile(folder: OpenPath, replacement: Replacement): Promise<FileInfo> {
  const { asked, before, mode, name, path, signal } = replacement;
  const temporary = `.toolbox-${Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString('hex')}.tmp`;
  const fd = openSync(folder.entry(temporary), NEW_FILE, mode ?? 0o666);
  try {
    try {
      await writeWhole(fd, replacement.bytes, signal);
      if (mode !== undefined) fchmodSync(fd, mode);
      setTime(fd);
      await flush(fd);
      signal?.throwIfAborted();
      const stats = fstatSync(fd, { bigint: true });
      replacement.onVersion?.(versionOf(stats));
      const rename = (): void => {
        replacement.check();
        const there = lstatSync(folder.entry(name), { bigint: true, throwIfNoEntry: false });
        if ((there === undefined ? undefined : versionOf(there)) !== before?.version)
          throw toolError(`${quote(asked)} changed while it was being written; nothing was written. Read it again.`);
        renameSync(folder.entry(temporary), folder.entry(name));
      };
      await whileLocked(folder, name, replacement, rename);
      return infoOf(stats, path);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    removeQuietly(folder, temporary);
    throw error;
  }
}

/**
 * Runs something short while no other process that uses this function does for the same name: by a file beside it, which lists do not show, and which holds the
 * identity of its process. That of a process that has ended is taken away; one that cannot be told from here keeps it.
 */
async function whileLocked(
  folder: OpenPath,
  name: string,
  { asked, signal }: Pick<Replacement, 'asked' | 'signal'>,
  work: () => void,
): Promise<void> {
  const lock = `.toolbox-${sha256Hex(name).slice(0, 16)}.tmp`;
  let seen = '';
  let since = 0;
  while (!tryLock(folder, lock)) {
    const now = versionAt(folder, lock);
    const holder = readHolder(folder, lock);
    if (now !== seen) since = performance.now();
    const heldMs = performance.now() - since;
    const isLeft = hasEnded(holder) || (holder === '' && heldMs > MAX_EMPTY_MS);
    // Another process may have taken it away meanwhile, and made its own.
    if (isLeft && versionAt(folder, lock) === now) removeQuietly(folder, lock);
    else if (heldMs > MAX_LOCKED_MS) throw lockedError(asked, lock, holder);
    seen = now;
    await sleep(1 + Math.random() * 4, undefined, { signal });
  }
  try {
    work();
  } finally {
    removeQuietly(folder, lock);
  }
}

function tryLock(folder: OpenPath, lock: string): boolean {
  let fd: number;
  try {
    fd = openSync(folder.entry(lock), NEW_FILE, 0o600);
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
  try {
    writeSync(fd, JSON.stringify(ownIdentity()));
  } catch (error) {
    removeQuietly(folder, lock);
    throw error;
  } finally {
    closeSync(fd);
  }
  return true;
}

function versionAt(folder: OpenPath, name: string): string {
  const stats = lstatSync(folder.entry(name), { bigint: true, throwIfNoEntry: false });
  return stats === undefined ? '' : versionOf(stats);
}

/** What a lock says of its process; empty for a lock that says nothing, undefined for one that cannot be read. */
function readHolder(folder: OpenPath, lock: string): unknown {
  return attempt((): unknown => {
    const path = folder.entry(lock);
    if (!lstatSync(path).isFile()) return undefined;
    const text = readFileSync(path, 'utf8');
    return text === '' ? '' : JSON.parse(text);
  });
}

function lockedError(asked: string, lock: string, holder: unknown): Error {
  const { pid, host } = isObject(holder) ? holder : {};
  const who =
    typeof pid === 'number' && typeof host === 'string' ? `process ${pid} on ${quote(host)}` : 'another process';
  return toolError(
    `${quote(asked)} is being written by ${who}; nothing was written. Try again, or remove ${quote(lock)} beside it if no such process is running.`,
  );
}

async function writeWhole(fd: number, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<void> {
  for (let at = 0; at < bytes.length;) {
    signal?.throwIfAborted();
    at += (await writeSome(fd, bytes, at, Math.min(bytes.length - at, 8_388_608))).bytesWritten;
  }
}

/**
 * Sets the time of a file in microseconds. The system's own clock for files ticks every few milliseconds, within which it may give the number of a file that was
 * replaced to the next one: two of the same size would have the same version.
 */
function setTime(fd: number): void {
  const now = Date.now() / 1000 + Number(process.hrtime.bigint() % 1_000_000n) / 1e9;
  futimesSync(fd, now, now);
}

function removeQuietly(folder: OpenPath, name: string): void {
  attempt(() => unlinkSync(folder.entry(name))); // it has its new name already, or the folder is gone
}
