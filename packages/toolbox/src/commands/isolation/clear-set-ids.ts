import { execFile } from 'node:child_process';
import { chmodSync, closeSync, constants, fstatSync, openSync, readlinkSync, statSync } from 'node:fs';
import { dirname, relative, sep } from 'node:path';
import { attempt, childVariables, findProgram, programPath } from '@kernel/internal';
import { isInside } from '../../workspace/paths.ts';

const MAX_BYTES = 4_194_304;
const TIMEOUT_MS = 60_000;
const SET_ID = 0o6000;
// Node has no name for it: a descriptor that stands for the thing itself, without reading it.
const O_PATH = 0o10000000;

/**
 * Clears set-user-ID and set-group-ID of the files in a folder that were changed since a time, in milliseconds: other
 * users would run them with the rights of this one, and no mount keeps a command from setting them. Resolves to their
 * names, relative to the folder. Opens folders that were closed since, where others could still run what they know to be
 * there. Looks for nothing unless every user can enter the folder.
 */
export async function clearSetIds(folder: string, sinceMs: number): Promise<readonly string[]> {
  if (process.platform !== 'linux' || !isEnterable(folder)) return [];
  const find = findProgram('find', { workspace: folder });
  if (find === undefined) return [];
  const args = [folder, ...String.raw`-xdev ( -type f -perm /6000 -o -type d ! -perm -500 ) -printf %y%p\0`.split(' ')];
  const all: string[] = [];
  for (;;) {
    // It fails where it may not read a folder, and where there are more names than fit; the names that it wrote count.
    const names = await new Promise<string>((resolve) => {
      // Names are bytes.
      const options = { maxBuffer: MAX_BYTES, timeout: TIMEOUT_MS, encoding: 'latin1' } as const;
      execFile(programPath(find), args, { env: childVariables({}), ...options }, (_error, stdout) => resolve(stdout));
    });
    const found = names.split('\0').slice(0, -1);
    const changed = found.filter(
      (each) => attempt(() => clearSetId(folder, Buffer.from(each.slice(1), 'latin1'), sinceMs)) === true,
    );
    const cleared = changed.filter((each) => each.startsWith('f'));
    all.push(...cleared.map((each) => relative(folder, Buffer.from(each.slice(1), 'latin1').toString())));
    const isWhole = found.length < MAX_BYTES / 5000 && cleared.length === changed.length;
    if (changed.length === 0 || isWhole) return all;
  }
}

/**
 * Clears the bits of a file, or lets its owner open a folder. Returns whether that was due. A command in the background
 * may put a link in place of a name at any moment, so what is changed is what was opened and looked at.
 */
export function clearSetId(folder: string, path: Buffer, sinceMs: number): boolean {
  const fd = openSync(path, O_PATH | constants.O_NOFOLLOW);
  try {
    const opened = `/proc/self/fd/${fd}`;
    const stats = fstatSync(fd);
    const isKnown = stats.isFile() || stats.isDirectory();
    // The clock of files is coarser, by 10 ms at most.
    if (!isKnown || stats.ctimeMs < sinceMs - 10 || !isInside(folder, readlinkSync(opened), sep)) return false;
    chmodSync(opened, stats.isDirectory() ? stats.mode | 0o500 : stats.mode & 0o7777 & ~SET_ID);
    return true;
  } finally {
    closeSync(fd);
  }
}

/** Whether every user can enter a folder, and so each one on the way to it. */
function isEnterable(folder: string): boolean {
  const { mode } = statSync(folder);
  return (mode & 0o001) !== 0 && (dirname(folder) === folder || isEnterable(dirname(folder)));
}
