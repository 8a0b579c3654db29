/** A run of lines that both texts have, or that one of them has. */
export interface DiffPart {
  readonly sign: ' ' | '-' | '+';
  readonly lines: readonly string[];
}

/** The most lines that are told apart one by one; beyond it, what differs is one block. */
const MAX_EDITS = 1000;
/** How many comparisons of lines a diff may take. */
const MAX_WORK = 20_000_000;

/** What makes one list of lines of another, as few lines as possible (Myers, in time of the lines times the edits). */
export function diffLines(before: readonly string[], after: readonly string[]): readonly DiffPart[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end))
    end += 1;
  const old = before.slice(start, before.length - end);
  const now = after.slice(start, after.length - end);
  const parts: DiffPart[] = [
    { sign: ' ', lines: before.slice(0, start) },
    ...(diffMiddle(old, now) ?? [
      { sign: '-' as const, lines: old },
      { sign: '+' as const, lines: now },
    ]),
    { sign: ' ', lines: before.slice(before.length - end) },
  ];
  return parts.filter(({ lines }) => lines.length > 0);
}

function diffMiddle(old: readonly string[], now: readonly string[]): readonly DiffPart[] | undefined {
  const max = Math.min(old.length + now.length, MAX_EDITS, Math.ceil(MAX_WORK / (old.length + now.length + 1)));
  const furthest = new Map<number, number>([[1, 0]]);
  const trail: ReadonlyMap<number, number>[] = [];
  for (let edits = 0; edits <= max; edits += 1) {
    trail.push(new Map(furthest));
    for (let line = -edits; line <= edits; line += 2) {
      let x = goesDown(furthest, line, edits) ? (furthest.get(line + 1) ?? 0) : (furthest.get(line - 1) ?? 0) + 1;
      while (x < old.length && x - line < now.length && old[x] === now[x - line]) x += 1;
      furthest.set(line, x);
      if (x >= old.length && x - line >= now.length) return readTrail(trail, old, now);
    }
  }
  return undefined;
}

function goesDown(furthest: ReadonlyMap<number, number>, line: number, edits: number): boolean {
  return line === -edits || (line !== edits && (furthest.get(line - 1) ?? -1) < (furthest.get(line + 1) ?? -1));
}

/** Walks the edits back from the end of both lists to their beginning. */
function readTrail(
  trail: readonly ReadonlyMap<number, number>[],
  old: readonly string[],
  now: readonly string[],
): readonly DiffPart[] {
  const steps: { readonly sign: DiffPart['sign']; readonly line: string }[] = [];
  let [x, y] = [old.length, now.length];
  for (let edits = trail.length - 1; edits >= 0; edits -= 1) {
    const furthest = trail[edits] ?? new Map<number, number>();
    const line = x - y;
    const from = goesDown(furthest, line, edits) ? line + 1 : line - 1;
    const fromX = edits === 0 ? 0 : (furthest.get(from) ?? 0);
    const fromY = edits === 0 ? 0 : fromX - from;
    while (x > fromX && y > fromY) {
      x -= 1;
      y -= 1;
      steps.push({ sign: ' ', line: old[x] ?? '' });
    }
    if (edits === 0) break;
    steps.push(x === fromX ? { sign: '+', line: now[fromY] ?? '' } : { sign: '-', line: old[fromX] ?? '' });
    [x, y] = [fromX, fromY];
  }
  const parts: { sign: DiffPart['sign']; lines: string[] }[] = [];
  for (const { sign, line } of steps.toReversed()) {
    const last = parts.at(-1);
    if (last?.sign === sign) last.lines.push(line);
    else parts.push({ sign, lines: [line] });
  }
  return parts;
}
