import { type Expression, NEVER, characters, choice, literal, rule } from './expression.ts';

/** Ranges of code points, both ends included, in order and apart. */
export type CodePoints = readonly (readonly [number, number])[];

const LAST = 0x10_ff_ff;

/** Everything that a set leaves out. */
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

/** All ranges as one set. */
export function union(...sets: readonly CodePoints[]): CodePoints {
  const out: [number, number][] = [];
  for (const [from, to] of sets.flat().toSorted((a, b) => a[0] - b[0])) {
    const last = out.at(-1);
    if (last !== undefined && from <= last[1] + 1) last[1] = Math.max(last[1], to);
    else out.push([from, to]);
  }
  return out;
}

/** What is in both sets, each in order. */
export function intersection(a: CodePoints, b: CodePoints): CodePoints {
  return a.flatMap(([from, to]) =>
    b
      .filter(([low, high]) => low <= to && high >= from)
      .map(([low, high]) => [Math.max(from, low), Math.min(to, high)] as const),
  );
}

/** The characters that stand in JSON text as they are. Halves of surrogate pairs are no characters. */
const RAW: CodePoints = complement([
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
  [0xd800, 0xdfff],
]);

/** The characters that stand in JSON text only behind a backslash. */
const HIDDEN: CodePoints = [
  [0x00, 0x1f],
  [0x22, 0x22],
  [0x5c, 0x5c],
];
const ALL_HIDDEN = printClass(HIDDEN);

const SHORT: ReadonlyMap<number, string> = new Map([
  [0x08, 'b'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0c, 'f'],
  [0x0d, 'r'],
  [0x22, '"'],
  [0x5c, '\\'],
]);

/** One character of the set inside a JSON string, spelled as `JSON.stringify` spells it. */
export function jsonCharacter(set: CodePoints): Expression {
  const raw = intersection(set, RAW);
  const plain = raw.length === 0 ? NEVER : characters(printClass(raw));
  const hidden = intersection(set, HIDDEN);
  // Most sets have all of them: one rule for all.
  if (printClass(hidden) === ALL_HIDDEN) return choice(plain, rule('escaped'));
  const escaped: Expression[] = [];
  for (const [from, to] of hidden) {
    for (let code = from; code <= to; code += 1) {
      const short = SHORT.get(code);
      escaped.push(literal(`\\${short ?? `u${code.toString(16).padStart(4, '0')}`}`));
    }
  }
  return choice(plain, ...escaped);
}

/** Writes a set as a class of a grammar. */
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
