const MAX_LENGTH = 64;

/**
 * Up to `count` of the known names that are close to `name` by edit distance, nearest first; ties by length, then in the given order. Of fewer
 * than three letters almost every other short name is close, so only the same name in another case counts.
 */
export function nearest(name: string, known: Iterable<string>, count = 3): readonly string[] {
  const wanted = name.slice(0, MAX_LENGTH).toLowerCase();
  const limit = wanted.length < 3 ? 0 : wanted.length < 5 ? 1 : Math.max(2, Math.floor(wanted.length / 3));
  const found: { readonly candidate: string; readonly score: number }[] = [];
  for (const candidate of known) {
    const score = scoreOf(wanted, candidate.slice(0, MAX_LENGTH).toLowerCase(), limit);
    if (score <= limit) found.push({ candidate, score: score + Math.abs(candidate.length - name.length) / 1e6 });
  }
  const sorted = found.toSorted((a, b) => a.score - b.score);
  return sorted.slice(0, count).map((entry) => entry.candidate);
}

function scoreOf(a: string, b: string, limit: number): number {
  if (a === b) return 0;
  // The beginning of a longer name counts as one edit, `read` for `read_file`, and so does most of a name with more around it.
  if ((a.length >= 3 && b.includes(a)) || (b.length >= 3 && a.includes(b) && b.length * 2 > a.length)) return 1;
  if (Math.abs(a.length - b.length) > limit || absentCharacters(a, b, limit) > limit) return limit + 1;
  return editDistance(a, b, limit);
}

/** How many characters of `b` do not occur in `a`: each costs an edit, so most names are never compared. */
function absentCharacters(a: string, b: string, limit: number): number {
  let count = 0;
  for (let index = 0; index < b.length && count <= limit; index += 1) if (!a.includes(b.charAt(index))) count += 1;
  return count;
}

/** Damerau-Levenshtein distance (optimal string alignment); anything above `limit` once it is certain to exceed it. */
function editDistance(a: string, b: string, limit: number): number {
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
    if (least > limit + 1) return limit + 1; // a transposition may reach back over one row
    before = previous;
    previous = row;
  }
  return previous[b.length] ?? 0;
}
