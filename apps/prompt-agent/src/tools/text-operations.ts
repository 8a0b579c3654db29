import { sliceHead } from '@kernel/internal';
import { toolError } from './tool-error.ts';
import { tidy } from './evaluate.ts';

type Operation = (text: string, lines: readonly string[], count: number | undefined) => string;

const OPERATIONS = {
  'count-lines': (_, lines) => String(lines.length),
  'count-words': (text) => String(wordsOf(text).length),
  'count-characters': (text) => String(characters(text)),
  first: (_, lines, count) => shown(lines.slice(0, needed(count, 'first'))),
  last: (_, lines, count) => shown(lines.slice(-needed(count, 'last'))),
  line: (_, lines, count) => lines[needed(count, 'line') - 1] ?? missingLine(needed(count, 'line'), lines.length),
  sort: (_, lines) => shown(sorted(lines)),
  unique: (_, lines) => shown([...new Set(lines)]),
  sum: (text) => tidy(sumOf(numbersOf(text))),
  average: (text) => tidy(sumOf(numbersOf(text)) / numbersOf(text).length),
  smallest: (text) => tidy(numbersOf(text).reduce((a, b) => Math.min(a, b))),
  largest: (text) => tidy(numbersOf(text).reduce((a, b) => Math.max(a, b))),
} satisfies Record<string, Operation>;

export type TextOperation = keyof typeof OPERATIONS;

export const TEXT_OPERATIONS: readonly string[] = Object.keys(OPERATIONS);

/**
 * Answers about the lines of a text. A line ends with a line feed, one before it is a carriage return is not part of it, and the last may end with the text.
 * Numbers are sorted as numbers if every line is one. Throws `TOOL_FAILED` where there is no such line, and for a sum of lines that are not all numbers.
 */
export function linesOf(text: string, operation: TextOperation, count: number | undefined): string {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  const answer: Operation = OPERATIONS[operation];
  return answer(text, lines, count);
}

function needed(count: number | undefined, operation: string): number {
  if (count === undefined) throw toolError(`The operation ${operation} needs count.`);
  return count;
}

function missingLine(line: number, length: number): never {
  throw toolError(`There is no line ${line}: the text has ${length}.`);
}

function shown(lines: readonly string[]): string {
  return lines.length === 0 ? '(The text has no lines.)' : lines.join('\n');
}

function wordsOf(text: string): readonly string[] {
  return text.match(/\S+/g) ?? [];
}

/** Counts code points, line ends included. */
function characters(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

const NUMBER = /^[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

function sorted(lines: readonly string[]): readonly string[] {
  const areNumbers = lines.every((line) => NUMBER.test(line.trim()));
  return lines.toSorted(areNumbers ? (a, b) => Number(a) - Number(b) : new Intl.Collator('en').compare);
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}

/** The numbers of a text that holds nothing else, between spaces, line ends, commas or semicolons. */
function numbersOf(text: string): readonly number[] {
  const words = wordsOf(text).flatMap((word) => {
    if (/^[-+]?\d{1,3}(?:,\d{3})+$/.test(word))
      throw toolError(`"${sliceHead(word, 40)}" could be one number or several.`);
    return word.split(/[,;]/).filter((part) => part !== '');
  });
  const other = words.find((word) => !NUMBER.test(word));
  if (other !== undefined) throw toolError(`The text holds "${sliceHead(other, 40)}", which is not a number.`);
  if (words.length === 0) throw toolError('The text holds no numbers.');
  return words.map(Number);
}
