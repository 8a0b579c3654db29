/** A text in which characters that look alike are the same, with a mapping back to the original. */
export type FoldedText = ReturnType<typeof foldText>;

interface Changed {
  readonly start: number;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** A character with its combining marks, or one that may change: those of ASCII and of Chinese cannot. */
const CHARACTER = /\P{M}\p{M}+|[\u00A0-\u2E7F\u3000-\u33FF\uA000-\uDFFF\uF900-\uFFFF]/gsu;
const QUOTES = /[\u2018-\u201B\u2032\u2035\u02BC]/g;
const DOUBLE_QUOTES = /[\u201C-\u201F]/g;
const DASHES = /[\u2010-\u2015\u2212]/g;
const SPACES = /\p{Zs}/gu;
/** What is not seen: soft hyphens, marks without width, of direction, and variants of characters. */
const UNSEEN = /\p{Cf}|\p{Variation_Selector}/gu;

/** Half a pair, which stands for a byte that is no character. */
const BROKEN = /\p{Cs}/gu;

/**
 * Makes quotes straight, dashes hyphens and spaces plain, leaves out what is not seen, writes characters in their plain forms, apart from their marks (NFKD), and
 * what is no character as U+FFFD, so that texts that look the same are the same.
 */
export function foldText(text: string) {
  const parts: string[] = [];
  const changed: Changed[] = [];
  const known = new Map<string, string>();
  let length = 0;
  let done = 0;
  for (const { 0: character, index } of text.matchAll(CHARACTER)) {
    const folded = known.get(character) ?? foldCharacter(character);
    known.set(character, folded);
    if (folded === character) continue;
    parts.push(text.slice(done, index), folded);
    length += index - done;
    done = index + character.length;
    changed.push({ start: length, end: length + folded.length, from: index, to: done });
    length += folded.length;
  }
  parts.push(text.slice(done));
  return {
    text: parts.join(''),
    /** The part of the original that a part of it stands for; undefined if it begins or ends within a character. */
    original: (start: number, end: number): { readonly start: number; readonly end: number } | undefined => {
      const from = originalPlace(changed, start, 'start');
      const to = originalPlace(changed, end, 'end');
      return from === undefined || to === undefined ? undefined : { start: from, end: to };
    },
  };
}

function foldCharacter(character: string): string {
  return character
    .replaceAll(DOUBLE_QUOTES, '"')
    .normalize('NFKD')
    .replaceAll(UNSEEN, '')
    .replaceAll(QUOTES, "'")
    .replaceAll(DASHES, '-')
    .replaceAll(SPACES, ' ')
    .replaceAll(BROKEN, '\uFFFD');
}

/** Where a place of the folded text is in the original; undefined within a character. What is not seen there is before a beginning and behind an end. */
function originalPlace(changed: readonly Changed[], place: number, side: 'start' | 'end'): number | undefined {
  let low = 0;
  let high = changed.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const end = changed[middle]?.end ?? 0;
    if (side === 'start' ? end <= place : end < place) low = middle + 1;
    else high = middle;
  }
  // `low` is the first part that ends behind the place, or, for an end, at it.
  const part = changed[low];
  if (part !== undefined && part.start < place) return side === 'end' && part.end === place ? part.to : undefined;
  const before = changed[low - 1];
  return before === undefined ? place : before.to + (place - before.end);
}

/**
 * A text of a web page as a person sees it: without control characters and those that hide text or turn its direction. Line breaks and tabs stay, and so do
 * the joiners that scripts and emoji need.
 */
export function seenText(text: string): string {
  return text.replaceAll(/\r\n?|[\u2028\u2029]/g, '\n').replaceAll(/(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Cs}]/gu, '');
}
