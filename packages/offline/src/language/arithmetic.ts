import { LETTER, LETTER_OR_DIGIT } from './words.ts';

/** Arithmetic in a prompt. */
export interface FoundExpression {
  /** The offset of its first character. */
  readonly start: number;
  /** The offset after its last character. */
  readonly end: number;
  /** The expression in plain notation: `15 / 100 * 80` for `15% of 80`. */
  readonly value: string;
}

/** The values of number words up to one hundred. */
export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred`
    .split(/\s+/)
    .map((word, index) => [word, index <= 20 ? index : (index - 18) * 10]),
);

/** A number that is not the year of a date, nor its day. */
const DIGITS = String.raw`(?!\d{4}-\d{2}-\d{2}|\d{4}\/\d{1,2}\/\d|\d{1,2}\/\d{1,2}\/\d{4})(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?!\d|,\d{3}(?!\d)|[${LETTER}_]|\.\d)|\.\d+(?!\d)`;
const FUNCTION = 'sqrt|cbrt|abs|round|floor|ceil|a?sin|a?cos|a?tan|log10|log2|log|ln|exp|min|max|pow|mod';

/** What people write, and its plain notation; a function takes the next number. */
const PREFIXES = [
  [String.raw`(?:the )?(?:square root|sqrt) of\b|sqrt(?=\s+[\d.])`, 'sqrt'],
  [String.raw`(?:the )?cube root of\b`, 'cbrt'],
  [String.raw`half of\b`, '1 / 2 *'],
] as const;
const POSTFIXES = [
  [String.raw`%(?!\s*(?:[\d(]|of\b))|per ?cent\b(?! of\b)`, '/ 100'],
  [String.raw`squared\b|²`, '^ 2'],
  [String.raw`cubed\b|³`, '^ 3'],
  [String.raw`factorial\b|!(?=\s*(?:$|[-+*/^)]))`, '!'],
] as const;
const OPERATORS = [
  [String.raw`(?:%|per ?cent) of\b`, '/ 100 *'],
  [String.raw`\*\*|to the power of\b|raised to(?: the power of)?\b`, '^'],
  [String.raw`[×·]|(?<![a-z])x(?=\s*[\d(.])|times\b|multiplied by\b`, '*'],
  [String.raw`÷|divided by\b|over\b`, '/'],
  [String.raw`plus\b`, '+'],
  [String.raw`(?:minus|less)\b|−`, '-'],
  [String.raw`mod(?:ulo)?\b`, '%'],
  [String.raw`[-+*/^]|%(?=\s*[\d(])`, '$&'],
] as const;

const anyOf = (rows: readonly (readonly [string, string])[]): string => rows.map(([form]) => form).join('|');

const ATOM = String.raw`(?:${DIGITS}|(?:pi|π)(?![${LETTER}_\d])|(?:${[...NUMBER_WORDS.keys()].join('|')})\b)`;
const OPEN = String.raw`(?:[-+]\s*)?(?:(?:${anyOf(PREFIXES)})\s*)?(?:(?:(?:${FUNCTION})\s*)?\(\s*)`;
const OPERAND = String.raw`${OPEN}*(?:[-+]\s*)?(?:(?:${anyOf(PREFIXES)})\s*)?${ATOM}(?:\s*(?:\)|${anyOf(POSTFIXES)}))*`;
/** A row of operands, with any parentheses: `longest` says which part of it is an expression. */
const ROW = new RegExp(
  String.raw`(?<=^|[\s([{"'\x60=:,;?])${OPERAND}(?:\s*(?:${anyOf(OPERATORS)}|,(?=\s*[-\d(.]))\s*${OPERAND})*`,
  'gi',
);

/** Without one of these there is no arithmetic: a quick look before the long one. */
const NUMBERS = new RegExp(String.raw`\d|π|\b(?:pi|${[...NUMBER_WORDS.keys()].join('|')})\b`, 'i');

const PART_AFTER = new RegExp(String.raw`^:\d|^[${LETTER_OR_DIGIT}_]`);
const PART_END = new RegExp(`[${LETTER_OR_DIGIT}]$`);

/** Finds arithmetic: at least one operation on numbers. Dates, versions and plain numbers do not count, except a number that is the whole text. */
export function findExpressions(text: string): readonly FoundExpression[] {
  if (!NUMBERS.test(text)) return [];
  const found: FoundExpression[] = [];
  ROW.lastIndex = 0;
  for (let match = ROW.exec(text); match !== null; match = ROW.exec(text)) {
    const [from, to] = longest(match[0]);
    const [start, end] = [match.index + from, match.index + to];
    const whole = text.slice(start, end);
    ROW.lastIndex = Math.max(end, match.index + 1);
    const value = plainNotation(whole);
    const isAlone = text.trim() === whole && /^-?(?:\d+(?:,\d{3})*|\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(whole);
    const isOperation = /[^-+(\s]\s*[-+*/^%!]|[a-z]\(/.test(value.replace(/e[+-]/gi, 'e'));
    const next = text.slice(end, end + 2);
    const isPart = PART_AFTER.test(next) && PART_END.test(whole);
    const isTime = /\d:$/.test(text.slice(Math.max(0, start - 2), start));
    if (!isAlone && (!isOperation || isPart || isTime)) continue;
    found.push({ start, end, value });
  }
  return found;
}

/** The part of a row in which all parentheses are closed. */
function longest(row: string): readonly [from: number, to: number] {
  const open: number[] = [];
  for (const { 0: mark, index } of row.matchAll(/[()]/g)) {
    if (mark === '(') open.push(index);
    else if (open.pop() === undefined) return [0, index];
  }
  return [(open.at(-1) ?? -1) + 1, row.length];
}

/** Writes `(3 plus 4) squared` as `(3 + 4) ^ 2`. */
function plainNotation(text: string): string {
  let plain = text.toLowerCase().replaceAll(/(?<=\d),(?=\d{3})/g, '');
  for (const [form, as] of PREFIXES)
    plain = plain.replaceAll(new RegExp(String.raw`(?:${form})\s*([^\s()+*/^%!-]+)?`, 'gi'), (_, next: string = '') =>
      as.startsWith('1') ? `${as} ${next}` : `${as}${next === '' ? '' : `(${next})`}`,
    );
  for (const [form, as] of [...POSTFIXES, ...OPERATORS]) plain = plain.replaceAll(new RegExp(form, 'gi'), ` ${as} `);
  return plain
    .replaceAll(/[a-z]+/g, (word) => String(NUMBER_WORDS.get(word) ?? word))
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ (?=[),!])|(?<=\() /g, '')
    .replaceAll(/(?<=^\s*|[-+*/^%(,]\s?)([-+]) (?=[\d(a-z.])/g, '$1')
    .replaceAll(
      /(?<=\b(?:sqrt|cbrt|a?sin|a?cos|a?tan|abs|round|floor|ceil|log10|log2|log|ln|exp|min|max|pow|mod)) \(/g,
      '(',
    )
    .trim();
}
