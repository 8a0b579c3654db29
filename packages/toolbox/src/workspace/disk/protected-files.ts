import { type BigIntStats, type Dirent, lstatSync, readdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { CREDENTIAL_FOLDERS, mayHoldCredentials } from '../credential-names.ts';

/** Tells whether an opened file is one of those that are closed to tools, under another name. */
export type IsProtected = (stats: BigIntStats) => boolean;

/** How long the files that were found count as those that are there, in milliseconds. */
const FRESH_MS = 2000;
/** How many entries of folders are looked at, of the home and of the workspace, and how deep. A home has its keys near its top. */
const MAX_ENTRIES = 5000;
const MAX_DEPTH = 6;
/** Folders with files of package managers, and repositories: what is closed there has its own names elsewhere. */
const SKIPPED: ReadonlySet<string> = new Set(['node_modules', '.git']);
const SYSTEM = ['/etc/shadow', '/etc/gshadow', '/etc/sudoers'];

/**
 * Knows the files that hold credentials: those of the home folder, of the system, and those that the rules of a workspace close. A file with several names is
 * compared with them by device and inode, since a name says nothing about the others. Files are looked for only when such a file is read.
 */
export function createProtectedFiles(root: string, isDenied: (path: string) => boolean, home = homedir()): IsProtected {
  let known: ReadonlySet<string> = new Set();
  let foundMs = -Infinity;
  const find = (): ReadonlySet<string> => {
    const found = new Set<string>();
    const add = (path: string): void => {
      const stats = lstatSync(path, { bigint: true, throwIfNoEntry: false });
      if (stats?.isFile() === true) found.add(keyOf(stats));
    };
    for (const path of SYSTEM) quietly(() => add(path));
    const ofHome = { left: MAX_ENTRIES };
    for (const { name } of entriesOf(home))
      if (mayHoldCredentials(`${home}/${name}`)) quietly(() => add(join(home, name)));
    for (const path of CREDENTIAL_FOLDERS) {
      quietly(() => add(join(home, path)));
      walk(join(home, path), ofHome, add);
    }
    walk(root, { left: MAX_ENTRIES }, add, (path) => isDenied(path));
    return found;
  };
  return (stats) => {
    if (performance.now() - foundMs > FRESH_MS) {
      known = find();
      foundMs = performance.now();
    }
    return known.has(keyOf(stats));
  };
}

/** Calls back with each file below a folder that a test selects; a link is not followed. */
function walk(
  folder: string,
  budget: { left: number },
  add: (path: string) => void,
  selects: (path: string) => boolean = () => true,
): void {
  // In breadth, so that what lies near the top is seen before the budget is used up.
  const pending = [{ path: '', depth: 0 }];
  for (let next = pending.shift(); next !== undefined && budget.left > 0; next = pending.shift())
    for (const entry of entriesOf(join(folder, next.path))) {
      budget.left -= 1;
      const path = next.path === '' ? entry.name : `${next.path}/${entry.name}`;
      if (entry.isDirectory() && next.depth < MAX_DEPTH && !SKIPPED.has(entry.name))
        pending.push({ path, depth: next.depth + 1 });
      else if (entry.isFile() && selects(path)) quietly(() => add(join(folder, path)));
    }
}

function entriesOf(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

function quietly(work: () => void): void {
  try {
    work();
  } catch {
    // What cannot be looked at cannot be linked either.
  }
}

function keyOf({ dev, ino }: BigIntStats): string {
  return `${dev} ${ino}`;
}
