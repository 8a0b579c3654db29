import { accessSync, constants, realpathSync, statSync } from 'node:fs';
import { delimiter, isAbsolute, join, sep } from 'node:path';
import { isInside } from './workspace/paths.ts';

/** Folders that only the owner of a Unix system fills. */
const SYSTEM =
  '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin:/run/wrappers/bin:/run/current-system/sw/bin'.split(
    ':',
  );

/**
 * Where a program is, in the first absolute folder of `PATH` that has it; undefined if none does. Folders within `outside` are left out: there a program
 * named `rg` is anybody's.
 */
export function findProgram(name: string, outside?: string): string | undefined {
  return findIn(safeFolders(process.env['PATH'] ?? '', outside), name);
}

/** Where a program of the system is, whatever `PATH` says. */
export function findSystemProgram(name: string): string | undefined {
  return findIn(SYSTEM, name);
}

/** The folders of a PATH that are absolute and not within a folder, links followed. */
export function safeFolders(path: string, outside?: string): readonly string[] {
  const isOutside = (folder: string): boolean =>
    outside === undefined || ![folder, realPath(folder)].some((each) => isInside(outside, each, sep));
  return path.split(delimiter).filter((folder) => isAbsolute(folder) && isOutside(folder));
}

function findIn(folders: readonly string[], name: string): string | undefined {
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', '.bat'] : [''];
  for (const folder of folders)
    for (const ending of endings) {
      const file = join(folder, name + ending);
      if (isExecutable(file)) return file;
    }
  return undefined;
}

function realPath(folder: string): string {
  try {
    return realpathSync.native(folder);
  } catch {
    return folder;
  }
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
