import { LETTER, LETTER_OR_DIGIT } from './lexicon.ts';

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
const NUMBER = String.raw`${DIGITS}|(?:pi|π)(?![${LETTER}_\d])|(?:${[...NUMBER_WORDS.keys()].join('|')})(?![\w-])`;

type Notation = readonly (readonly [form: string, plain: string])[];

/** What people write where an operand is expected, and its plain notation: after the first two an operator is expected. */
const OPERANDS: Notation = [
  [NUMBER, '$&'],
  [String.raw`(?:the )?(?:square root of|sqrt) (?:${NUMBER})`, 'sqrt($&)'],
  [String.raw`(?:sqrt|cbrt|abs|round|floor|ceil|log10|log2|log|ln|exp|min|max|pow)(?=\s*\()`, '$&'],
  [String.raw`[-+(]`, '$&'],
];
/** What stands after an operand: after the first four the expression may end. */
const OPERATORS: Notation = [
  [String.raw`squared\b|²`, ' ^ 2'],
  [String.raw`cubed\b|³`, ' ^ 3'],
  [String.raw`!(?=\s*(?:$|[-+*/^)]))`, '!'],
  [String.raw`\)`, ')'],
  [String.raw`,(?=\s*[-\d(.])`, ', '],
  [String.raw`(?:%|per ?cent) of\b`, ' / 100 * '],
  [String.raw`\*\*|to the power of\b`, ' ^ '],
  [String.raw`[×·]|x(?=\s*[\d(.])|times\b|multiplied by\b`, ' * '],
  [String.raw`÷|divided by\b`, ' / '],
  [String.raw`plus\b`, ' + '],
  [String.raw`minus\b|−`, ' - '],
  [String.raw`[-+*/^]`, ' $& '],
];

const formOf = (rows: Notation) => new RegExp(String.raw`\s*(?:${rows.map(([form]) => `(${form})`).join('|')})`, 'giy');
const OPERAND = formOf(OPERANDS);
const OPERATOR = formOf(OPERATORS);
const START = /(?<=^|[\s([{"'`=:,;?])(?=\S)/g;
/** What makes an expression a part of something else: `12:30`, `5 + 20%`. */
const PART_AFTER = new RegExp(String.raw`^(?::\d|[${LETTER_OR_DIGIT}_]|\s*(?:%|per ?cent))`, 'i');

/** Finds arithmetic: at least one operation on numbers. Dates, versions and plain numbers do not count, except a number that is the whole text. */
export function findExpressions(text: string): readonly FoundExpression[] {
  const found: FoundExpression[] = [];
  START.lastIndex = 0;
  for (let match = START.exec(text); match !== null; match = START.exec(text)) {
    const start = match.index;
    const { end, value } = readExpression(text, start);
    START.lastIndex = Math.max(end, start + 1);
    const isAlone = text.trim() === text.slice(start, end) && /^-?[\d,.]+(?:e[+-]?\d+)?$/i.test(text.trim());
    const isOperation = /[^-+(\s]\s*[-+*/^!]|[a-z]\(/.test(value.replaceAll(/e[+-]/g, 'e'));
    const isPart = PART_AFTER.test(text.slice(end)) || /\d:$/.test(text.slice(Math.max(0, start - 2), start));
    if (isAlone || (isOperation && !isPart)) found.push({ start, end, value });
  }
  return found;
}

function readExpression(text: string, start: number): FoundExpression {
  let [value, end, depth, isOperand] = ['', start, 0, false];
  for (;;) {
    const form = isOperand ? OPERATOR : OPERAND;
    form.lastIndex = end;
    const match = form.exec(text);
    const row = match?.slice(1).findIndex((part) => part !== undefined) ?? -1;
    const written = match?.[row + 1]?.toLowerCase() ?? '';
    if (match === null || (depth === 0 && written === ')')) break;
    end += match[0].length;
    depth += written === '(' ? 1 : written === ')' ? -1 : 0;
    const number = written.replace(/^.*\s/, '').replaceAll(',', '');
    const plain = isOperand || row > 1 ? written : String(NUMBER_WORDS.get(number) ?? number);
    value += ((isOperand ? OPERATORS : OPERANDS)[row]?.[1] ?? '').replace('$&', () => plain);
    isOperand = isOperand ? row < 4 : row < 2;
  }
  return { start, end, value: isOperand && depth === 0 ? value : '' };
}
