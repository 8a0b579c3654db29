import { lstat, readdir, realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';

const LONGEST = 100;

/**
 * Returns a path that exists and is most like a missing one: the first folder or file on the way that is not there is replaced by
 * the nearest name beside it. Looks only into folders that `mayShow` allows, and gives only paths that it allows.
 */
export async function nearPath(
  wanted: string,
  mayShow: (absolute: string) => boolean,
  parent = dirname(wanted),
  below: readonly string[] = [],
): Promise<string | undefined> {
  const missing = basename(below.length === 0 ? wanted : join(parent, below[0] ?? ''));
  const rest = below.slice(1);
  const folder = await realpath(parent).catch(() => undefined);
  if (folder === undefined && parent !== dirname(parent))
    return nearPath(wanted, mayShow, dirname(parent), [basename(parent), ...(below.length === 0 ? [missing] : below)]);
  if (folder === undefined || !mayShow(folder)) return undefined;
  const names = await readdir(folder).catch(() => []);
  const near = nearName(
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

/** The name that differs in case or ending only, else the one that takes the fewest edits: at most two, or a third of a longer name. */
export function nearName(missing: string, names: readonly string[]): string | undefined {
  const wanted = missing.toLowerCase();
  const same = names.find((name) => name.toLowerCase() === wanted);
  const longer = same ?? names.find((name) => name.toLowerCase().startsWith(`${wanted}.`));
  if (longer !== undefined || wanted.length > LONGEST) return longer;
  let least = wanted.length < 4 ? 2 : Math.max(3, Math.floor(wanted.length / 3) + 1);
  let best: string | undefined;
  for (const name of names) {
    if (Math.abs(name.length - wanted.length) >= least) continue;
    const far = distance(wanted, name.toLowerCase());
    if (far < least) [least, best] = [far, name];
  }
  return best;
}

/** Edits from one text to the other: insert, delete, replace, and the swap of two neighbours. */
function distance(a: string, b: string): number {
  let before: readonly number[] = [];
  let row: readonly number[] = Array.from({ length: b.length + 1 }, (_, at) => at);
  for (let i = 1; i <= a.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwap ? (before[j - 2] ?? 0) + 1 : replaced;
      next.push(Math.min(replaced, swapped, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    before = row;
    row = next;
  }
  return row[b.length] ?? 0;
}
