import { isToolName } from '@kernel/protocol';

const LONGEST = 64;

/** Returns up to `count` of the known names that are close to a name by edit distance, nearest first, ties in the given order. */
export function nearest(name: string, known: Iterable<string>, count = 3): readonly string[] {
  const wanted = name.slice(0, LONGEST).toLowerCase();
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  const found: { readonly candidate: string; readonly score: number }[] = [];
  for (const candidate of known) {
    const other = candidate.slice(0, LONGEST).toLowerCase();
    const score = scoreOf(wanted, other, limit);
    if (score <= limit) found.push({ candidate, score });
  }
  return found
    .toSorted((a, b) => a.score - b.score)
    .slice(0, count)
    .map((entry) => entry.candidate);
}

/** Returns names like a taken one that are free: `x_v2`, `x_alt`, then numbered ones; each legal. */
export function freeNames(name: string, isTaken: (candidate: string) => boolean, count = 3): readonly string[] {
  const free: string[] = [];
  const offer = (suffix: string): void => {
    const candidate = `${name.slice(0, LONGEST - suffix.length)}${suffix}`;
    if (free.length < count && !isTaken(candidate)) free.push(candidate);
  };
  for (const suffix of ['_v2', '_alt', '_2']) offer(suffix);
  for (let number = 3; free.length < count; number += 1) offer(`_${number}`);
  return free;
}

/** Returns a legal spelling of a name: other characters become `_`, at most 64 stay; `undefined` where nothing is left. */
export function legalName(name: string): string | undefined {
  const spelled = name
    .trim()
    .replaceAll(/[^A-Za-z0-9_-]+/g, '_')
    .slice(0, LONGEST);
  return isToolName(spelled) && /[A-Za-z0-9]/.test(spelled) ? spelled : undefined;
}

function scoreOf(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  // A part of a longer name is as good as one slip: `read` for `read_file`.
  if (Math.min(a.length, b.length) >= 3 && (a.includes(b) || b.includes(a))) return 1;
  if (Math.abs(a.length - b.length) > limit || strangers(a, b, limit) > limit) return limit + 1;
  return distance(a, b, limit);
}

/** How many characters of `b` are nowhere in `a`: each costs a slip, so that most names are never compared. */
function strangers(a: string, b: string, limit: number): number {
  let count = 0;
  for (let index = 0; index < b.length && count <= limit; index += 1) if (!a.includes(b.charAt(index))) count += 1;
  return count;
}

/** Edit distance in which two swapped neighbours are one slip; more than `limit` where it is surely above. */
function distance(a: string, b: string, limit: number): number {
  let before: number[] = [];
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    let least = i;
    for (let j = 1; j <= b.length; j += 1) {
      const same = a[i - 1] === b[j - 1];
      let cost = Math.min((previous[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (previous[j - 1] ?? 0) + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? 0) + 1);
      row.push(cost);
      least = Math.min(least, cost);
    }
    // A swap may reach back over one row, and is worth one slip.
    if (least > limit + 1) return limit + 1;
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
