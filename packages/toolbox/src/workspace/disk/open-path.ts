import {
  type BigIntStats,
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  openSync,
  readlinkSync,
  realpathSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

/**
 * Something on disk that was opened without reading or changing it. What is done with it is done with this one, whatever its name leads to
 * meanwhile. Its calls are synchronous: each takes microseconds, and nothing of this process comes in between.
 */
export interface OpenPath {
  readonly real: string;
  readonly stats: BigIntStats;
  /** The path of the same thing now; undefined if it is gone or the system cannot tell. */
  now(): string | undefined;
  /** A path by which the system finds an entry of this folder. Throws if the folder cannot be the opened one any more. */
  entry(name: string): string;
  self(): string;
  reopen(flags: number): number;
  close(): void;
}

// Node has no name for it. This is its value on every processor that Node runs on.
const O_PATH = 0o10000000;
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
/** How often a file is opened again that another process replaced in the moment of opening. */
const MAX_TRIES = 20;
const O_NONBLOCK = constants.O_NONBLOCK ?? 0;

/** Opens a path. `isEntry`: a link at its end is not followed. Throws the system's error. */
export function openPath(absolute: string, isEntry = false): OpenPath {
  isTold ??= process.platform === 'linux' && existsSync('/proc/self/fd');
  const open = isTold ? openByDescriptor : openByName;
  for (let tries = 1; tries < MAX_TRIES; tries += 1) {
    const opened = open(absolute, isEntry);
    if (opened !== undefined) return opened;
  }
  throw Object.assign(new Error('It is gone.'), { code: 'ENOENT' });
}

/** Whether the system tells the path of a descriptor. */
let isTold: boolean | undefined;

/** Linux: a descriptor that stands for the thing itself, whose path the system tells. Undefined if it lost its name meanwhile, which may be that of another one now. */
function openByDescriptor(absolute: string, isEntry: boolean): OpenPath | undefined {
  const fd = openSync(absolute, O_PATH | (isEntry ? O_NOFOLLOW : 0));
  const self = `/proc/self/fd/${fd}`;
  const statsOf = () => fstatSync(fd, { bigint: true });
  const pathNow = (): string | undefined => {
    const path = readlinkSync(self);
    // Asked in this order: what lost its name has a path that ends in " (deleted)", which could be the name of another.
    const { dev, ino, nlink } = statsOf();
    if (nlink === 0n) return undefined;
    if (!path.endsWith(' (deleted)')) return path;
    const there = lstatSync(path, { bigint: true, throwIfNoEntry: false });
    return there?.ino === ino && there.dev === dev ? path : undefined;
  };
  try {
    const real = pathNow();
    if (real === undefined) {
      closeSync(fd);
      return undefined;
    }
    return {
      real,
      stats: statsOf(),
      now: pathNow,
      entry: (name) => `${self}/${name}`,
      self: () => self,
      reopen: (flags) => openSync(self, flags | O_NONBLOCK),
      close: () => closeSync(fd),
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

/** If the system has no path for a descriptor, the real path is compared by device and inode before each use. */
export function openByName(absolute: string, isEntry: boolean): OpenPath {
  // The native function gives names as they are stored, in their own case.
  const real = isEntry
    ? join(realpathSync.native(dirname(absolute)), basename(absolute))
    : realpathSync.native(absolute);
  const stats = lstatSync(real, { bigint: true });
  const isSame = (other: BigIntStats) => other.ino === stats.ino && other.dev === stats.dev;
  const now = () => {
    const there = lstatSync(real, { bigint: true, throwIfNoEntry: false });
    return there !== undefined && isSame(there) && realpathSync.native(dirname(real)) === dirname(real)
      ? real
      : undefined;
  };
  const self = () => {
    if (now() === undefined) throw Object.assign(new Error('It changed meanwhile.'), { code: 'ESTALE' });
    return real;
  };
  return {
    real,
    stats,
    now,
    self,
    entry: (name) => join(self(), name),
    reopen: (flags) => {
      const fd = openSync(self(), flags | O_NOFOLLOW | O_NONBLOCK);
      if (isSame(fstatSync(fd, { bigint: true })) && now() !== undefined) return fd;
      closeSync(fd);
      throw Object.assign(new Error('It changed meanwhile.'), { code: 'ESTALE' });
    },
    close: () => {},
  };
}
