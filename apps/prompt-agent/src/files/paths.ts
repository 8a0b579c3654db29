import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import type { Host } from '../host.ts';

/** The absolute path of what the user wrote: from the current folder, or the home folder for `~/`. */
export function pathFrom({ cwd, home }: Pick<Host, 'cwd' | 'home'>, written: string): string {
  return written.startsWith('~/') ? join(home, written.slice(2)) : resolve(cwd, written);
}

/** Whether an absolute path is a folder or below it. Neither may contain links or `..`. */
export function isInside(folder: string, absolute: string): boolean {
  return absolute === folder || absolute.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** Makes a folder, and those above it, with mode 0700. Node's own way tries for ever where the system answers ENOENT for a new folder, as below `/proc`. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  const parent = dirname(path);
  if (parent !== path) makeFolder(parent);
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process made it meanwhile.
    if (!existsSync(path)) throw error;
  }
}
