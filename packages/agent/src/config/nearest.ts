/** Returns the known name that differs from `name` in at most a third of its letters, if there is one. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  let best: string | undefined;
  let least = Math.max(1, Math.floor(Math.min(name.length, 40) / 3)) + 1;
  for (const candidate of known) {
    const distance = distanceOf(name.slice(0, 40).toLowerCase().replaceAll(/[-_]/g, ''), candidate.replaceAll('_', ''));
    if (distance >= least) continue;
    least = distance;
    best = candidate;
  }
  return best;
}

function distanceOf(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (const [index, letter] of a.split('').entries()) {
    const next = [index + 1];
    for (let column = 0; column < b.length; column += 1) {
      const swap = (row[column] ?? 0) + (letter === b[column] ? 0 : 1);
      next.push(Math.min(swap, (row[column + 1] ?? 0) + 1, (next[column] ?? 0) + 1));
    }
    row = next;
  }
  return row.at(-1) ?? 0;
}
