import { type CodePoints, complement, jsonCharacter, union } from './code-points.ts';
import { EMPTY, type Expression, choice, repeat, sequence } from './expression.ts';

const point = (code: number): CodePoints => [[code, code]];
const DIGIT: CodePoints = [[0x30, 0x39]];
const WORD: CodePoints = [
  [0x30, 0x39],
  [0x41, 0x5a],
  [0x5f, 0x5f],
  [0x61, 0x7a],
];
const SPACE: CodePoints = [
  [0x09, 0x0d],
  [0x20, 0x20],
  [0xa0, 0xa0],
  [0x1680, 0x1680],
  [0x2000, 0x200a],
  [0x2028, 0x2029],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
  [0xfeff, 0xfeff],
];
const DOT: CodePoints = complement([
  [0x0a, 0x0a],
  [0x0d, 0x0d],
  [0x2028, 0x2029],
]);
const ANY_CHARACTER: CodePoints = complement([]);
const CLASSES: ReadonlyMap<string, CodePoints> = new Map([
  ['d', DIGIT],
  ['D', complement(DIGIT)],
  ['w', WORD],
  ['W', complement(WORD)],
  ['s', SPACE],
  ['S', complement(SPACE)],
]);
const CONTROLS: ReadonlyMap<string, number> = new Map([
  ['t', 9],
  ['n', 10],
  ['v', 11],
  ['f', 12],
  ['r', 13],
  ['0', 0],
]);

/** Servers reject grammars with more repetitions. */
const MAX_COUNT = 1_000;

/**
 * Converts a pattern into an expression for the content of a JSON string. `undefined` if it is not regular (look-around, back references,
 * word boundaries) or uses unsupported syntax (`\p`, flags, huge counts).
 */
export function regularString(source: string): Expression | undefined {
  let at = 0;
  let failed = false;
  const peek = (): string => source.charAt(at);

  function alternatives(depth: number): Expression {
    const parts = [branch(depth)];
    while (peek() === '|') {
      at += 1;
      parts.push(branch(depth));
    }
    return choice(...parts);
  }

  /** Only top-level branches can have anchors; without one, anything can precede or follow. */
  function branch(depth: number): Expression {
    const parts: Expression[] = [];
    const anchored = depth === 0 && peek() === '^';
    if (anchored) at += 1;
    if (depth === 0 && !anchored) parts.push(repeat(jsonCharacter(ANY_CHARACTER), 0));
    let closed = false;
    while (at < source.length && peek() !== '|' && peek() !== ')' && !failed && !closed) {
      if (peek() === '$' && depth === 0 && (at + 1 === source.length || source[at + 1] === '|')) {
        at += 1;
        closed = true;
      } else parts.push(quantified(depth));
    }
    if (depth === 0 && !closed) parts.push(repeat(jsonCharacter(ANY_CHARACTER), 0));
    return sequence(...parts);
  }

  function quantified(depth: number): Expression {
    const part = atom(depth);
    const [whole, bounds] = /^(?:[*+?]|\{(\d+(?:,\d*)?)\})/.exec(source.slice(at, at + 20)) ?? [];
    if (whole === undefined) return part;
    at += whole.length;
    if (peek() === '?') at += 1;
    const [min, max] = countsOf(whole, bounds ?? '');
    if (min > MAX_COUNT || (max ?? 0) > MAX_COUNT) failed = true;
    return repeat(part, min, max);
  }

  function atom(depth: number): Expression {
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
    at += character.length;
    if (character === '(') return group(depth);
    if (character === '[') return jsonCharacter(set());
    if (character === '.') return jsonCharacter(DOT);
    if (character === '\\') return jsonCharacter(escape());
    if ('^$*+?{}])'.includes(character)) return fail(EMPTY);
    return jsonCharacter(point(character.codePointAt(0) ?? 0));
  }

  function group(depth: number): Expression {
    if (peek() === '?') {
      const [mark] = /^\?(?::|<[A-Za-z_]\w*>)/.exec(source.slice(at)) ?? [];
      if (mark === undefined) return fail(EMPTY);
      at += mark.length;
    }
    const inner = alternatives(depth + 1);
    if (peek() !== ')') return fail(EMPTY);
    at += 1;
    return inner;
  }

  function escape(): CodePoints {
    const character = peek();
    at += 1;
    const characterClass = CLASSES.get(character);
    if (characterClass !== undefined) return characterClass;
    const control = CONTROLS.get(character);
    if (control !== undefined) return point(control);
    const [whole, braced, four, two] =
      /^(?:u\{([\dA-Fa-f]+)\}|u([\dA-Fa-f]{4})|x([\dA-Fa-f]{2}))/.exec(source.slice(at - 1)) ?? [];
    if (whole !== undefined) {
      at += whole.length - 1;
      return point(Number.parseInt(braced ?? four ?? two ?? '0', 16));
    }
    return /[A-Za-z0-9]/.test(character) || character === '' ? fail([]) : point(character.codePointAt(0) ?? 0);
  }

  function set(): CodePoints {
    const negated = peek() === '^';
    if (negated) at += 1;
    let points: CodePoints = [];
    while (peek() !== ']' && at < source.length && !failed) {
      const low = member();
      const [from] = low[0] ?? [];
      if (peek() === '-' && source[at + 1] !== ']' && low.length === 1 && from === low[0]?.[1] && from !== undefined) {
        at += 1;
        const [high] = member();
        points = high === undefined || high[0] !== high[1] ? fail(points) : union(points, [[from, high[0]]]);
      } else points = union(points, low);
    }
    at += 1;
    return negated ? complement(points) : points;
  }

  function member(): CodePoints {
    const character = String.fromCodePoint(source.codePointAt(at) ?? 0);
    at += character.length;
    if (character !== '\\') return point(character.codePointAt(0) ?? 0);
    if (peek() === 'b') {
      at += 1;
      return point(8);
    }
    return escape();
  }

  function fail<T>(value: T): T {
    failed = true;
    return value;
  }

  const whole = alternatives(0);
  return failed || at < source.length ? undefined : whole;
}

function countsOf(whole: string, bounds: string): readonly [number, number?] {
  if (whole === '?') return [0, 1];
  if (whole === '*' || whole === '+') return [whole === '*' ? 0 : 1];
  const [min = '0', max] = bounds.split(',');
  if (max === undefined) return [Number(min), Number(min)];
  return max === '' ? [Number(min)] : [Number(min), Number(max)];
}
