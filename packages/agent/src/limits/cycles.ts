const MAX_CYCLE = 8;

/** The lengths of the cycles that count. */
export const PERIODS: readonly number[] = Array.from({ length: MAX_CYCLE }, (_, index) => index + 1);

/** Counts how often a sequence has repeated itself, in cycles of one to eight elements. */
export interface Cycles<T> {
  /** Adds an element: it is compared once with each of the last eight, unless it counts as equal to none of them. */
  add(element: T, isNew?: boolean): void;
  /** The element that a cycle of this length expects next; undefined if there are fewer. */
  expected(period: number): T | undefined;
  /** How often the last elements are the same cycle of this length: 1 if it is there once. */
  repeats(period: number): number;
  /** The most repeats of any length. */
  most(): number;
}

/** Starts a sequence whose elements `isSame` compares. */
export function createCycles<T>(isSame: (before: T, after: T) => boolean): Cycles<T> {
  const last: T[] = [];
  /** By period, how many of the last elements equal the one that is a period before them; a period that is absent has none. */
  const same: number[] = [];
  let most = 1;
  const repeats = (period: number): number => Math.floor((same[period - 1] ?? 0) / period) + 1;
  function count(element: T): void {
    let period = last.length;
    for (const before of last) {
      same[period - 1] = isSame(before, element) ? (same[period - 1] ?? 0) + 1 : 0;
      if (same[period - 1] !== 0) most = Math.max(most, repeats(period));
      period -= 1;
    }
  }

  return {
    expected: (period) => last.at(-period),
    repeats,
    most: () => most,
    add(element, isNew = false) {
      most = 1;
      if (isNew) same.length = 0;
      else count(element);
      last.push(element);
      if (last.length > MAX_CYCLE) last.shift();
    },
  };
}
