import { LETTER, LETTER_OR_DIGIT } from './words.ts';

/** Arithmetic in a prompt, in plain notation: `15 / 100 * 80` for `15% of 80`. */
export interface FoundExpression {
  readonly start: number;
  readonly end: number;
  readonly value: string;
}

export const NUMBER_WORDS: ReadonlyMap<string, number> = new Map(
  `zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen
  nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred`
    .split(/\s+/)
    .map((word, index) => [word, index <= 20 ? index : (index - 18) * 10]),
);

const DIGITS = String.raw`(?!\d{4}-\d{2}-\d{2}|\d{4}\/\d{1,2}\/\d|\d{1,2}\/\d{1,2}\/\d{4})(?:\d+(?:,\d{3})+|\d+)(?:\.\d+)?(?:e[+-]?\d+)?(?!\d|,\d{3}(?!\d)|[${LETTER}_]|\.\d)|\.\d+(?!\d)`;
const WORDS = [...NUMBER_WORDS.keys()].join('|');

type Notation = readonly (readonly [form: string, plain: string])[];

/** What people write where an operand is expected, and its plain notation; `$&` is what they wrote. */
const OPERANDS: Notation = [
  [String.raw`${DIGITS}|(?:pi|π)(?![${LETTER}_\d])|(?:${WORDS})\b`, '$&'],
  [String.raw`(?:the )?(?:square root|sqrt) of\b|sqrt(?=\s+[\d.])`, 'sqrt'],
  [String.raw`(?:the )?cube root of\b`, 'cbrt'],
  [String.raw`half of\b`, '1 / 2 * '],
  [
    String.raw`(?:sqrt|cbrt|abs|round|floor|ceil|a?sin|a?cos|a?tan|log10|log2|log|ln|exp|min|max|pow|mod)(?=\s*\()`,
    '$&',
  ],
  [String.raw`[-+(]`, '$&'],
];
/** What stands after an operand: after the first five, which are postfixes, the expression may end. */
const OPERATORS: Notation = [
  [String.raw`%(?!\s*(?:[\d(]|of\b))|per ?cent\b(?! of\b)`, ' / 100'],
  [String.raw`squared\b|²`, ' ^ 2'],
  [String.raw`cubed\b|³`, ' ^ 3'],
  [String.raw`factorial\b|!(?=\s*(?:$|[-+*/^)]))`, '!'],
  [String.raw`\)`, ')'],
  [String.raw`,(?=\s*[-\d(.])`, ', '],
  [String.raw`(?:%|per ?cent) of\b`, ' / 100 * '],
  [String.raw`\*\*|to the power of\b|raised to(?: the power of)?\b`, ' ^ '],
  [String.raw`[×·]|x(?=\s*[\d(.])|times\b|multiplied by\b`, ' * '],
  [String.raw`÷|divided by\b|over\b`, ' / '],
  [String.raw`plus\b`, ' + '],
  [String.raw`(?:minus|less)\b|−`, ' - '],
  [String.raw`mod(?:ulo)?\b`, ' % '],
  [String.raw`[-+*/^]|%(?=\s*[\d(])`, ' $& '],
];

const anyOf = (rows: Notation): string => rows.map(([form]) => `(${form})`).join('|');
const OPERAND = new RegExp(String.raw`\s*(?:${anyOf(OPERANDS)})`, 'giy');
const OPERATOR = new RegExp(String.raw`\s*(?:${anyOf(OPERATORS)})`, 'giy');
const START = /(?<=^|[\s([{"'`=:,;?])(?=\S)/g;
const PART_AFTER = new RegExp(String.raw`^:\d|^[${LETTER_OR_DIGIT}_]`);
const PART_END = new RegExp(`[${LETTER_OR_DIGIT}]$`);

/** Finds arithmetic: at least one operation on numbers. Dates, versions and plain numbers do not count, except a number that is the whole text. */
export function findExpressions(text: string): readonly FoundExpression[] {
  const found: FoundExpression[] = [];
  START.lastIndex = 0;
  for (let match = START.exec(text); match !== null; match = START.exec(text)) {
    const { reached, start, end, value } = readExpression(text, match.index);
    START.lastIndex = Math.max(reached, match.index + 1);
    const whole = text.slice(start, end);
    const next = text.slice(end, end + 2);
    const isAlone = text.trim() === whole && /^-?(?:\d+(?:,\d{3})*|\d*)(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(whole);
    const isOperation = /[^-+(\s]\s*[-+*/^%!]|[a-z]\(/.test(value.replaceAll(/e[+-]/g, 'e'));
    const isPart = PART_AFTER.test(next) && PART_END.test(whole);
    const isTime = /\d:$/.test(text.slice(Math.max(0, start - 2), start));
    if (isAlone || (isOperation && !isPart && !isTime)) found.push({ start, end, value });
  }
  return found;
}

/** Reads operands and operators in turn, and returns them up to the last operand, from after the last parenthesis that is not closed. */
function readExpression(text: string, from: number): FoundExpression & { readonly reached: number } {
  let complete = { start: from, end: from, value: '' };
  const open = [{ start: from, length: 0 }];
  let value = '';
  let at = from;
  let isOperand = false;
  let isWrapped = false;
  for (;;) {
    const form: RegExp = isOperand ? OPERATOR : OPERAND;
    form.lastIndex = at;
    const match = form.exec(text);
    if (match === null) break;
    const row = match.slice(1).findIndex((part) => part !== undefined);
    const written = (match[row + 1] ?? '').toLowerCase();
    const plain = ((isOperand ? OPERATORS : OPERANDS)[row]?.[1] ?? '').replace('$&', () => written);
    if (isWrapped && row > 0 && written !== '(') break;
    at += match[0].length;
    if (written === ')' && open.length === 1) break;
    if (written === ')') open.pop();
    if (isOperand) isOperand = row < 5;
    else if (row === 0) {
      const number = String(NUMBER_WORDS.get(plain) ?? plain.replaceAll(',', ''));
      value += isWrapped ? `(${number})` : number;
      isOperand = true;
    }
    if (row > 0 || form === OPERATOR) value += plain;
    isWrapped = form === OPERAND && (row === 1 || row === 2);
    if (written === '(') open.push({ start: at, length: value.length });
    const { start, length } = open.at(-1) ?? { start: from, length: 0 };
    if (isOperand) complete = { start, end: at, value: value.slice(length) };
  }
  return { ...complete, reached: Math.max(complete.end, at) };
}
