import { lstat, realpath } from 'node:fs/promises';
import { basename, dirname, isAbsolute, join, relative, sep } from 'node:path';

/** A path relative to a folder, with `/`; undefined if its name leads out of it. A relative path is one below the folder. */
export function pathWithin(folder: string, path: string): string | undefined {
  if (path.includes('\0')) return undefined;
  const below = isAbsolute(path) ? relative(folder, path) : relative(folder, `${folder}${sep}${path}`);
  if (below === '..' || below.startsWith(`..${sep}`) || isAbsolute(below)) return undefined;
  return below === '' ? '.' : below.split(sep).join('/');
}

/** As `pathWithin`, with all links followed: of what does not exist yet, those of the folder that it would be in. The folder itself has no links in it. */
export async function realPathWithin(folder: string, path: string): Promise<string | undefined> {
  const place = pathWithin(folder, path);
  if (place === undefined) return undefined;
  const real = await realPath(join(folder, place));
  return real === undefined ? undefined : pathWithin(folder, real);
}

/** Where a path leads; undefined for a link that leads nowhere, since anything may come to be there. */
async function realPath(path: string): Promise<string | undefined> {
  const real = await realpath(path).catch(() => undefined);
  if (real !== undefined) return real;
  const above = dirname(path);
  if (above === path || (await lstat(path).catch(() => undefined)) !== undefined) return undefined;
  const realAbove = await realPath(above);
  return realAbove === undefined ? undefined : join(realAbove, basename(path));
}

/** The folders that a path is in, outermost first, and itself. */
export function pathPrefixes(path: string): readonly string[] {
  return path.split('/').map((_, at, names) => names.slice(0, at + 1).join('/'));
}

/** Whether there is a folder at a path, and no link. */
export async function isFolder(path: string): Promise<boolean> {
  return (await lstat(path).catch(() => undefined))?.isDirectory() === true;
}
