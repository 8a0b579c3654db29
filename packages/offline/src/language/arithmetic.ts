/** Arithmetic in a prompt. */
export interface FoundExpression {
  /** The offset of its first character. */
  readonly start: number;
  /** The offset after its last character. */
  readonly end: number;
  /** The expression in plain notation: `15 / 100 * 80` for `15% of 80`. */
  readonly value: string;
}

interface Piece {
  readonly kind: 'operand' | 'operator' | 'open' | 'close' | 'comma' | 'postfix' | 'prefix' | 'function';
  readonly text: string;
  readonly end: number;
}

const MAX_PIECES = 200;
/** How many pieces are read for each character of a text: parentheses that never close would be read again from each of them. */
const PIECES_PER_CHARACTER = 4;

/** How many pieces may still be read of a text. */
interface Budget {
  pieces: number;
}

const NUMBER_WORDS = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty`
    .split(/\s+/)
    .map((word, value) => [word, value] as const),
);
for (const [index, word] of 'thirty forty fifty sixty seventy eighty ninety hundred'.split(' ').entries()) {
  NUMBER_WORDS.set(word, (index + 3) * 10);
}

/** Returns the value of a number word up to one hundred. */
export function numberWord(word: string): number | undefined {
  return NUMBER_WORDS.get(word);
}

const RULES: readonly (readonly [RegExp, Piece['kind'], string?])[] = [
  [/(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?![\p{L}_]|\.\d)|\.\d+/iuy, 'operand'],
  [/(?:%|\s*per ?cent) of\b/iy, 'operator', '/ 100 *'],
  [/%(?!\s*[\d(])|per ?cent\b/iy, 'postfix', '/ 100'],
  [/(?:the )?(?:square root|sqrt) of\b/iy, 'prefix', 'sqrt'],
  [/sqrt(?=\s+[\d.])/iy, 'prefix', 'sqrt'],
  [/(?:the )?cube root of\b/iy, 'prefix', 'cbrt'],
  [/half of\b/iy, 'prefix', '1 / 2 *'],
  [
    /(?:sqrt|cbrt|abs|round|floor|ceil|sin|cos|tan|asin|acos|atan|log10|log2|log|ln|exp|min|max|pow|mod)(?=\s*\()/iy,
    'function',
  ],
  [/(?:pi|π)(?![\p{L}\p{N}_])/iuy, 'operand', 'pi'],
  [/squared\b|²/iy, 'postfix', '^ 2'],
  [/factorial\b/iy, 'postfix', '!'],
  [/cubed\b|³/iy, 'postfix', '^ 3'],
  [/!(?=\s*(?:$|[-+*/^)]))/y, 'postfix', '!'],
  [/\*\*|to the power of\b|raised to(?: the power of)?\b/iy, 'operator', '^'],
  [/[×·]|x(?=\s*[\d(.])|times\b|multiplied by\b/iy, 'operator', '*'],
  [/÷|divided by\b|over\b/iy, 'operator', '/'],
  [/plus\b/iy, 'operator', '+'],
  [/(?:minus|less)\b|−/iy, 'operator', '-'],
  [/mod(?:ulo)?\b/iy, 'operator', '%'],
  [/[-+*/^%]/y, 'operator'],
  [/\(/y, 'open'],
  [/\)/y, 'close'],
  [/,(?=\s*[\d(.-])/y, 'comma'],
];

/** Finds arithmetic: at least one operation on numbers. Dates, versions and plain numbers do not count, except a number that is the whole text. */
export function findExpressions(text: string): readonly FoundExpression[] {
  const alone = /^\s*(-?(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?)\s*$/i.exec(text)?.[1];
  if (alone !== undefined)
    return [{ start: text.indexOf(alone), end: text.indexOf(alone) + alone.length, value: alone.replaceAll(',', '') }];
  const found: FoundExpression[] = [...phrases(text)];
  const budget = { pieces: MAX_PIECES + PIECES_PER_CHARACTER * text.length };
  let at = 0;
  while (at < text.length) {
    const before = at === 0 ? ' ' : (text[at - 1] ?? ' ');
    const inside = found.find((other) => at >= other.start && at < other.end);
    const hit = inside === undefined && /[\s([{"'`=:,;?]/.test(before) ? scan(text, at, budget) : undefined;
    if (hit !== undefined) found.push(hit);
    at = Math.max(at + 1, inside?.end ?? 0, hit?.end ?? 0);
  }
  return found.toSorted((a, b) => a.start - b.start);
}

/** The verbs that each preposition joins two numbers for. */
const JOINS: Readonly<Record<string, RegExp>> = { by: /^(?:multiply|divide)$/i, from: /^subtract$/i, to: /^add$/i };

/** `add 3 and 4`, `the sum of 1, 2 and 3`: the only forms in which `and` joins numbers. */
function* phrases(text: string): Generator<FoundExpression> {
  const form =
    /\b(add|sum of|sum|total of|multiply|product of|divide|difference (?:between|of)|subtract) ((?:-?\d+(?:\.\d+)?)(?:(?:\s*,\s*(?:and )?| and | by | from | to )-?\d+(?:\.\d+)?)+)(?![\p{L}\p{N}_]|\.\d)/giu;
  for (const match of text.matchAll(form)) {
    const [whole, verb = '', list = ''] = match;
    const numbers = list.match(/-?\d+(?:\.\d+)?/g) ?? [];
    const joined = / (by|from|to) /i.exec(list)?.[1]?.toLowerCase();
    // `1,000` is one number, or two.
    if (/\d,\d{3}(?!\d)/.test(list)) continue;
    // `the sum of 1 to 10` is no sum of two numbers.
    if (joined !== undefined && !JOINS[joined]?.test(verb)) continue;
    // Neither is it certain what is subtracted or divided in `subtract 5 and 20`.
    if (/^(?:subtract|divide)$/i.test(verb) && / and |,/i.test(list)) continue;
    // Whether the difference between 3 and 10 is 7 or -7 is not certain.
    if (/^diff/i.test(verb) && (numbers.length !== 2 || Number(numbers[0]) < Number(numbers[1]))) continue;
    const operator = /^(?:add|sum|total)/i.test(verb)
      ? '+'
      : /^(?:mul|pro)/i.test(verb)
        ? '*'
        : /^div/i.test(verb)
          ? '/'
          : '-';
    if (/^subtract/i.test(verb) && list.includes(' from ')) numbers.reverse();
    yield { start: match.index, end: match.index + whole.length, value: numbers.join(` ${operator} `) };
  }
}

function scan(text: string, start: number, budget: Budget): FoundExpression | undefined {
  if (
    /^(?:\d{4}-\d{2}-\d{2}|\d{4}\/\d{1,2}\/\d{1,2}|\d{1,2}\/\d{1,2}\/\d{4})(?!\d)/.test(text.slice(start, start + 11))
  )
    return undefined;
  if (/\d:$/.test(text.slice(Math.max(0, start - 2), start))) return undefined; // the minutes of a time
  const pieces = longestBalanced(readPieces(text, start, budget));
  const last = pieces.at(-1);
  const operations = pieces.filter(
    ({ kind }) => kind === 'operator' || kind === 'prefix' || kind === 'function' || kind === 'postfix',
  );
  if (last === undefined || operations.length === 0 || !pieces.some(({ kind }) => kind === 'operand')) return undefined;
  if (pieces.length === 2 && pieces[0]?.kind === 'operator') return undefined;
  if (/^:\d/.test(text.slice(last.end, last.end + 2))) return undefined;
  if (/^[\p{L}\p{N}_]/u.test(text.slice(last.end)) && /[\p{L}\p{N}]$/u.test(last.text)) return undefined;
  return { start, end: last.end, value: write(pieces) };
}

function readPieces(text: string, start: number, budget: Budget): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = start;
  while (pieces.length < MAX_PIECES && budget.pieces > 0) {
    budget.pieces -= 1;
    const piece = nextPiece(text, at, pieces.at(-1));
    if (piece === undefined) break;
    pieces.push(piece);
    at = piece.end;
    while (text[at] === ' ') at += 1;
  }
  return pieces;
}

function nextPiece(text: string, at: number, previous: Piece | undefined): Piece | undefined {
  const wantsOperand = !isOperandEnd(previous);
  for (const [rule, kind, as] of RULES) {
    if (
      kind === 'open' || kind === 'function' || kind === 'prefix' || kind === 'operand' ? !wantsOperand : wantsOperand
    ) {
      if (!(kind === 'operator' && wantsOperand)) continue;
    }
    rule.lastIndex = at;
    const [match] = rule.exec(text) ?? [];
    if (match === undefined || match === '') continue;
    if (kind === 'operator' && wantsOperand && !/^[-+]$/.test(match)) continue;
    return { kind, text: (as ?? match).replaceAll(/(?<=\d),(?=\d{3})/g, '').toLowerCase(), end: at + match.length };
  }
  const word = wantsOperand ? /^[a-z]+\b/i.exec(text.slice(at, at + 12))?.[0] : undefined;
  const value = word === undefined ? undefined : NUMBER_WORDS.get(word.toLowerCase());
  return word === undefined || value === undefined
    ? undefined
    : { kind: 'operand', text: String(value), end: at + word.length };
}

function isOperandEnd(piece: Piece | undefined): boolean {
  return piece !== undefined && (piece.kind === 'operand' || piece.kind === 'close' || piece.kind === 'postfix');
}

/** The longest prefix of `pieces` that ends with a value and closes every parenthesis that it opens. */
function longestBalanced(pieces: readonly Piece[]): readonly Piece[] {
  let open = 0;
  let length = 0;
  for (const [index, piece] of pieces.entries()) {
    open += piece.kind === 'open' ? 1 : piece.kind === 'close' ? -1 : 0;
    if (open < 0) break;
    if (open === 0 && isOperandEnd(piece)) length = index + 1;
  }
  return pieces.slice(0, length);
}

function write(pieces: readonly Piece[]): string {
  let text = '';
  let wrap = false;
  for (const { kind, text: piece } of pieces) {
    const isCall = kind === 'prefix' && /^[a-z]/.test(piece);
    text += isCall
      ? `${piece}(`
      : wrap && kind === 'operand'
        ? `${piece}) `
        : kind === 'function'
          ? piece
          : `${piece} `;
    wrap = isCall || (wrap && kind !== 'operand');
  }
  return text
    .replaceAll(/\( /g, '(')
    .replaceAll(/ (?=[),!])/g, '')
    .replaceAll(/(?<![\d)a-z!] )([-+]) (?=[\d(a-z])/g, '$1')
    .trim();
}
