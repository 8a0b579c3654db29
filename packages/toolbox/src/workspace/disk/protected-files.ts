import { attempt } from '@kernel/internal';
import { type BigIntStats, type Dirent, lstatSync, readdirSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CREDENTIAL_FOLDERS, mayHoldCredentials } from '../credential-names.ts';

/** Tells whether an opened file is one of those that are closed to tools, under another name. */
export type IsProtected = (stats: BigIntStats) => boolean;

/** How long the result of a search stays valid: at least so many milliseconds, and so many times as long as the search took. */
const FRESH_MS = 2000;
const FRESH_TIMES = 20;
/** How many entries are looked at below each folder with credentials, and below the workspace. */
const MAX_ENTRIES = 100_000;
/** Folders with files of package managers, and repositories: what is closed there has its own names elsewhere. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);
const SYSTEM = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers'];

/**
 * Knows the files that hold credentials: those of the home folder, of the system, and those that the rules of a workspace close. A file with several names is
 * compared with them by device and inode, since a name says nothing about the others. Files are looked for only when such a file is read. Where a folder has
 * more of them than are looked at, each file of its device may be one.
 */
export function createProtectedFiles(
  root: string,
  isDenied: (path: string) => boolean,
  { home = homedir(), maxEntries = MAX_ENTRIES } = {},
): IsProtected {
  let known: ReadonlySet<string | bigint> = new Set();
  let freshUntilMs = -Infinity;
  const find = (): ReadonlySet<string | bigint> => {
    const found = new Set<string | bigint>();
    const add = (path: string): void => {
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats?.isFile() === true) found.add(keyOf(stats));
    };
    // What cannot be looked at cannot be linked either.
    for (const path of SYSTEM) attempt(() => add(path));
    const walkBelow = (folder: string, selects: (path: string) => boolean): void => {
      const isWhole = walk(folder, maxEntries, (path) => attempt(() => add(join(folder, path))), selects);
      if (!isWhole) attempt(() => found.add(statSync(folder, { bigint: true }).dev));
    };
    for (const { name } of entriesOf(home))
      if (mayHoldCredentials(`${home}/${name}`)) attempt(() => add(join(home, name)));
    for (const path of CREDENTIAL_FOLDERS) {
      attempt(() => add(join(home, path)));
      walkBelow(join(home, path), () => true);
    }
    walkBelow(root, isDenied);
    return found;
  };
  return (stats) => {
    const startMs = performance.now();
    if (startMs > freshUntilMs) {
      known = find();
      const endMs = performance.now();
      freshUntilMs = endMs + Math.max(FRESH_MS, FRESH_TIMES * (endMs - startMs));
    }
    return known.has(keyOf(stats)) || known.has(stats.dev);
  };
}

/** Calls back with each file below a folder that a test selects, by its path from there; a link is not followed. False if there are too many entries for that. */
function walk(
  folder: string,
  maxEntries: number,
  add: (path: string) => void,
  selects: (path: string) => boolean,
): boolean {
  let left = maxEntries;
  // The search is breadth-first, so that files near the top are found in any case.
  const pending = [''];
  for (const below of pending)
    for (const entry of entriesOf(join(folder, below))) {
      left -= 1;
      if (left < 0) return false;
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) pending.push(path);
      else if (entry.isFile() && selects(path)) add(path);
    }
  return true;
}

function entriesOf(folder: string): readonly Dirent[] {
  return attempt(() => readdirSync(folder, { withFileTypes: true })) ?? [];
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}
