import { type Expression, NEVER, characters, choice, literal, rule } from './expression.ts';

/** A set of code points as ranges, both ends included, sorted and disjoint. */
export type CodePoints = readonly (readonly [number, number])[];

const LAST = 0x10_ff_ff;

export function complement(set: CodePoints): CodePoints {
  const out: [number, number][] = [];
  let next = 0;
  for (const [from, to] of union(set)) {
    if (from > next) out.push([next, from - 1]);
    next = to + 1;
  }
  if (next <= LAST) out.push([next, LAST]);
  return out;
}

export function union(...sets: readonly CodePoints[]): CodePoints {
  const out: [number, number][] = [];
  for (const [from, to] of sets.flat().toSorted((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

export function intersection(a: CodePoints, b: CodePoints): CodePoints {
  return a.flatMap(([from, to]) =>
    b
      .filter(([low, high]) => low <= to && high >= from)
      .map(([low, high]) => [Math.max(from, low), Math.min(to, high)] as const),
  );
}

/** The characters that need no escape in a JSON string. Lone surrogates are not characters. */
const UNESCAPED: CodePoints = complement([
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0xd800, 0xdfff],
]);

/** The characters that must be escaped in a JSON string. */
const ESCAPED: CodePoints = [
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];
const ALL_ESCAPED = printClass(ESCAPED);

const SHORT_ESCAPES: ReadonlyMap<number, string> = new Map([
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x22, '"'],
  [0x5c, '\\'],
]);

/** Matches one character of the set in a JSON string, escaped as `JSON.stringify` escapes it. */
export function jsonCharacter(set: CodePoints): Expression {
  const unescaped = intersection(set, UNESCAPED);
  const plain = unescaped.length === 0 ? NEVER : characters(printClass(unescaped));
  const toEscape = intersection(set, ESCAPED);
  // Most sets contain all of these characters: they share a rule.
  if (printClass(toEscape) === ALL_ESCAPED) return choice(plain, rule('escaped'));
  const escaped: Expression[] = [];
  for (const [from, to] of toEscape) {
    for (let code = from; code <= to; code += 1) {
      const short = SHORT_ESCAPES.get(code);
      escaped.push(literal(`\\${short ?? `u${code.toString(16).padStart(4, '0')}`}`));
    }
  }
  return choice(plain, ...escaped);
}

/** Writes a set as a character class of a grammar. */
export function printClass(set: CodePoints): string {
  const ranges = set.map(([from, to]) => (from === to ? printPoint(from) : `${printPoint(from)}-${printPoint(to)}`));
  return `[${ranges.join('')}]`;
}

function printPoint(code: number): string {
  const character = String.fromCodePoint(code);
  if (/[A-Za-z0-9 !#$%&'()*+,./:;<=>?@_`{|}~]/.test(character)) return character;
  if (code <= 0xff) return `\\x${code.toString(16).padStart(2, '0').toUpperCase()}`;
  if (code <= 0xffff) return `\\u${code.toString(16).padStart(4, '0').toUpperCase()}`;
  return `\\U${code.toString(16).padStart(8, '0').toUpperCase()}`;
}
