import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { nearest } from '@kernel/internal';

const MAX_LENGTH = 100;

/**
 * Returns an existing path that resembles a missing one: the first part that does not exist is replaced by the nearest name in its
 * folder. Looks only into folders that `mayShow` allows, and returns only paths that it allows.
 */
export async function nearestPath(
  wanted: string,
  mayShow: (absolute: string) => boolean,
  parent = dirname(wanted),
  below: readonly string[] = [],
): Promise<string | undefined> {
  const missing = basename(below.length === 0 ? wanted : join(parent, below[0] ?? ''));
  const rest = below.slice(1);
  const folder = await realpath(parent).catch(() => undefined);
  if (folder === undefined && parent !== dirname(parent))
    return nearestPath(wanted, mayShow, dirname(parent), [
      basename(parent),
      ...(below.length === 0 ? [missing] : below),
    ]);
  if (folder === undefined || !mayShow(folder)) return undefined;
  const names = await readdir(folder).catch(() => []);
  const near = nearestName(
    missing,
    names.filter((name) => mayShow(join(folder, name))),
  );
  if (near === undefined) return undefined;
  const whole = join(folder, near, ...rest);
  return (await isThere(whole, mayShow)) ? whole : join(folder, near);
}

async function isThere(path: string, mayShow: (absolute: string) => boolean): Promise<boolean> {
  return lstat(path).then(
    () => mayShow(path),
    () => false,
  );
}

/** The name that differs only in case or by its extension, otherwise the one that is fewest edits away, if any is near. */
export function nearestName(missing: string, names: readonly string[]): string | undefined {
  const wanted = missing.toLowerCase();
  const sameName = names.find((name) => name.toLowerCase() === wanted);
  const withExtension = sameName ?? names.find((name) => name.toLowerCase().startsWith(`${wanted}.`));
  return withExtension ?? (wanted.length > MAX_LENGTH ? undefined : nearest(missing, names, 1)[0]);
}
