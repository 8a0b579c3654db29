/** An array of items, or a text by its characters. */
export interface Sequence {
  /** How many items it has. */
  readonly length: number;
  /** Returns the item at an index. */
  at(index: number): string | number | undefined;
}

/** How many characters are compared after beginnings that fit, before the search that is linear for certain. */
const MAX_COMPARED = 65_536;
const BEGINNING = 64;

/** Finds where a sequence first occurs in another one from a place on, in linear time; -1 if nowhere. */
export function indexOfSequence(all: Sequence, wanted: Sequence, from: number): number {
  if (wanted.length === 0) return from <= all.length ? from : -1;
  for (const place of placesOfSequence(all, wanted, from)) return place;
  return -1;
}

/** Where a sequence occurs in another one from a place on: by the failure table of Knuth, Morris and Pratt, in linear time. */
export function* placesOfSequence(all: Sequence, wanted: Sequence, from = 0): Generator<number, void> {
  if (wanted.length > all.length - from) return;
  const table = new Int32Array(wanted.length);
  for (let index = 1, length = 0; index < wanted.length; index += 1) {
    while (length > 0 && wanted.at(index) !== wanted.at(length)) length = table[length - 1] ?? 0;
    if (wanted.at(index) === wanted.at(length)) length += 1;
    table[index] = length;
  }
  let matched = 0;
  for (let index = from; index < all.length; index += 1) {
    const item = all.at(index);
    while (matched > 0 && item !== wanted.at(matched)) matched = table[matched - 1] ?? 0;
    if (item === wanted.at(matched)) matched += 1;
    if (matched < wanted.length) continue;
    yield index - matched + 1;
    matched = table[matched - 1] ?? 0;
  }
}

/**
 * Where a text first occurs in another one from a place on, or -1. `indexOf` is faster, but for a long text that repeats itself it takes the product of both
 * lengths: what is looked for with it is a short beginning, and only as long as what follows rarely disappoints.
 */
export function indexOfText(text: string, wanted: string, from: number): number {
  if (wanted.length <= BEGINNING) return text.indexOf(wanted, from);
  const beginning = wanted.slice(0, BEGINNING);
  let left = MAX_COMPARED;
  let at = text.indexOf(beginning, from);
  for (; at !== -1; at = text.indexOf(beginning, at + 1)) {
    if (text.startsWith(wanted, at)) return at;
    left -= wanted.length;
    if (left < 0) break;
  }
  return at === -1 ? -1 : indexOfSequence(codesOf(text), codesOf(wanted), at + 1);
}

function codesOf(text: string): Sequence {
  return { length: text.length, at: (index) => text.charCodeAt(index) };
}
