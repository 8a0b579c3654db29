import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  futimesSync,
  lstatSync,
  openSync,
  renameSync,
  unlinkSync,
  write,
} from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { codeOf, toolError, quote } from '../errors.ts';
import type { FileInfo } from '../types.ts';
import { infoOf, versionOf } from './guard.ts';
import type { OpenPath } from './open-path.ts';

const TEMPORARY = /^\.toolbox-[0-9a-f]{16}\.tmp$/;

const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);
/** How long the last step of a write may take, in milliseconds. It takes microseconds. */
const MAX_LOCKED_MS = 2000;

/** Whether a name is that of a file that was being written, which a crash may have left. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name);
}

const writeSome = promisify(write);
const flush = promisify(fsync);

/** What is written, and where. */
interface Replacement {
  /** The path as the caller wrote it. */
  readonly asked: string;
  /** The path relative to the root. */
  readonly path: string;
  /** The name in the folder. */
  readonly name: string;
  /** The whole content. */
  readonly bytes: Uint8Array;
  /** What is there now; undefined if nothing is. */
  readonly before: FileInfo | undefined;
  /** The permission bits; undefined for those that the system gives. */
  readonly mode: number | undefined;
  /** Aborts it while nothing has changed yet. */
  readonly signal: AbortSignal | undefined;
  /** See `ReplaceOptions`. */
  readonly onVersion: ((version: string) => void) | undefined;
  /** Checks once more, right before the new file takes the place of the old one. */
  check(): void;
}

/** Writes a new file beside the old one, whole and on the disk, and gives it its name: at any moment the name has one or the other. */
export async function replaceFile(folder: OpenPath, replacement: Replacement): Promise<FileInfo> {
  const { asked, before, mode, name, path, signal } = replacement;
  const temporary = `.toolbox-${randomBytes(8).toString('hex')}.tmp`;
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
      await whileLocked(folder, name, signal, rename);
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
 * Runs something short while no other process that uses this function does for the same name: by a file beside it, which lists do not show. One that a killed
 * process left is taken away after two seconds.
 */
async function whileLocked(
  folder: OpenPath,
  name: string,
  signal: AbortSignal | undefined,
  work: () => void,
): Promise<void> {
  const lock = `.toolbox-${createHash('sha256').update(name).digest('hex').slice(0, 16)}.tmp`;
  let seen = '';
  let since = 0;
  while (!tryLock(folder, lock)) {
    const stats = lstatSync(folder.entry(lock), { bigint: true, throwIfNoEntry: false });
    const now = stats === undefined ? '' : versionOf(stats);
    if (now !== seen) since = performance.now();
    else if (performance.now() - since > MAX_LOCKED_MS) removeQuietly(folder, lock);
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
  try {
    closeSync(openSync(folder.entry(lock), NEW_FILE, 0o600));
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  }
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
  try {
    unlinkSync(folder.entry(name));
  } catch {
    // It has its new name already, or the folder is gone.
  }
}
