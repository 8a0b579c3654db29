import { statSync } from 'node:fs';
import { isAbsolute, resolve } from 'node:path';
import type { ServerEntry } from './server-files.ts';

/**
 * Makes the paths of an entry of the user's file absolute: it is used in all folders, and a path must not lead to a program of whatever folder that is. Arguments stay as
 * they are, since only the program knows which are paths.
 */
export function withAbsolutePaths(entry: ServerEntry, folder: string): ServerEntry {
  const { command, cwd } = entry;
  const base = typeof cwd === 'string' ? absolute(cwd, folder) : undefined;
  return {
    ...entry,
    ...(typeof command === 'string' && isPath(command) && { command: absolute(command, base ?? folder) }),
    ...(base !== undefined && { cwd: base }),
  };
}

/** The arguments that name a file of a folder, and would name another one in another folder. */
export function relativeFiles({ args, cwd }: ServerEntry, folder: string): readonly string[] {
  if (typeof cwd === 'string' || !Array.isArray(args)) return [];
  return args.map(String).filter((arg) => !isAbsolute(arg) && isFile(resolve(folder, arg)));
}

function isPath(command: string): boolean {
  return command.includes('/') || (process.platform === 'win32' && command.includes('\\'));
}

/** A path that begins with a variable is whole once that is filled. */
function absolute(path: string, folder: string): string {
  return path.startsWith('${') || isAbsolute(path) ? path : resolve(folder, path);
}

function isFile(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
  } catch {
    return false;
  }
}
