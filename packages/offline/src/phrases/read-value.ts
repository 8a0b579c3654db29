import type { JsonValue } from '@kernel/protocol';
import { numberWord } from '../language/arithmetic.ts';
import { STOP_WORDS } from '../language/lexicon.ts';
import { findNegation } from '../language/negation.ts';
import { tokenize } from '../language/tokenize.ts';

/** A value in a request. */
export interface FoundValue {
  /** The value: a number, or a text. */
  readonly value: JsonValue;
  /** How many words it takes. */
  readonly length: number;
}

/** The kinds of values that a phrase can hold. */
export const VALUE_KINDS = [
  'words',
  'word',
  'number',
  'numbers',
  'path',
  'day',
  'duration',
  'weekday',
  'glob',
  'extension',
] as const;

/** What a place in a phrase takes; `words` is the default. */
export type ValueKind = (typeof VALUE_KINDS)[number];

const MAX_TEXT_WORDS = 5;
const NUMBER = /^[-−]?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d{1,15})(?:\.\d{1,15})?$/;
const DURATION = /^(?:second|minute|hour|day|week|month|year)s?$/i;

/** Returns the values of a kind that begin at a word, the shortest first. */
export function readValues(kind: ValueKind, words: readonly string[], at: number): readonly FoundValue[] {
  const word = words[at];
  if (word === undefined) return [];
  switch (kind) {
    case 'number':
      return single(readNumber(word));
    case 'numbers':
      return readNumbers(words, at);
    case 'path':
      return single(readPath(word));
    case 'extension':
      return single(/^\.[a-z][a-z0-9]{0,9}$/i.test(word) ? `*${word}` : undefined);
    case 'glob':
      return single(readGlob(word));
    case 'day':
      return single(/^\d{4}-\d{2}-\d{2}$/.test(word) ? word : undefined);
    case 'duration':
      return readDuration(words, at);
    case 'weekday':
      return single(/^(?:mon|tues|wednes|thurs|fri|satur|sun)day$/i.test(word) ? word.toLowerCase() : undefined);
    case 'word':
      return isPlainText(word) ? single(unquote(word)) : [];
    case 'words':
      return Array.from({ length: Math.min(MAX_TEXT_WORDS, words.length - at) }, (_, index) => ({
        value: unquote(words.slice(at, at + index + 1).join(' ')),
        length: index + 1,
      })).filter(({ value }) => isPlainText(value));
  }
}

/** Whether a text has no word that would change a request: a pronoun, a preposition, a conjunction, a negation. */
function isPlainText(text: string): boolean {
  const isClear = text
    .split(' ')
    .every((word) => word === 'per' || word === 'US' || !STOP_WORDS.has(word.toLowerCase()));
  return isClear && findNegation(text) === undefined;
}

function single(value: JsonValue | undefined): readonly FoundValue[] {
  return value === undefined ? [] : [{ value, length: 1 }];
}

function readNumber(word: string): number | undefined {
  if (NUMBER.test(word)) return Number(word.replace('−', '-').replaceAll(/[$€£,]/g, ''));
  return numberWord(word.toLowerCase());
}

/** Reads `1, 2 and 6` to its end, as a list with commas; two numbers at least. */
function readNumbers(words: readonly string[], from: number): readonly FoundValue[] {
  const values: number[] = [];
  let to = from;
  let isJoined = true;
  for (; to < words.length; to += 1) {
    const word = words[to] ?? '';
    if (/^(?:and|&)$/i.test(word)) {
      if (values.length === 0 || words[to - 1]?.toLowerCase() === 'and') return [];
      isJoined = true;
      continue;
    }
    const parts = word.replace(/,$/, '').split(',');
    const numbers = parts.map(readNumber);
    if (!isJoined || numbers.includes(undefined) || isThousands(word)) return [];
    values.push(...numbers.flatMap((number) => number ?? []));
    isJoined = word.endsWith(',') || !words.some((other) => other.includes(',') || /^(?:and|&)$/i.test(other));
  }
  const isOpen = /^(?:and|&)$|,$/i.test(words[to - 1] ?? '');
  return values.length < 2 || isOpen ? [] : [{ value: values.join(', '), length: to - from }];
}

/** Whether commas could join thousands as well as numbers. */
function isThousands(word: string): boolean {
  return /^[-−]?\d{1,3}(?:,\d{3})+(?:\.\d+)?,?$/.test(word);
}

/** `3 hours`, `1.5 hours`, `an hour`, `half an hour`. */
function readDuration(words: readonly string[], at: number): readonly FoundValue[] {
  const [word = '', unit, third = ''] = words.slice(at, at + 3);
  if (/^half$/i.test(word) && unit === 'an' && /^hour$/i.test(third)) return [{ value: '30 minutes', length: 3 }];
  const amount = /^an?$/i.test(word) ? 1 : readNumber(word);
  if (amount === undefined || unit === undefined || !DURATION.test(unit)) return [];
  return [{ value: `${amount} ${unit.toLowerCase()}`, length: 2 }];
}

const KNOWN_FILES = new Map([
  ['readme', 'README.md'],
  ['license', 'LICENSE'],
  ['changelog', 'CHANGELOG.md'],
]);

/** A quoted text, or a word with the form of a path. */
function readPath(word: string): string | undefined {
  if (word.length > 1 && unquote(word) !== word) return unquote(word);
  const known = KNOWN_FILES.get(word);
  if (known !== undefined) return known;
  const [token, ...more] = tokenize(word, []);
  const isPath = token?.kind === 'path' && more.length === 0 && token.text === word;
  return isPath && !/[*?]/.test(word) ? word : undefined;
}

/** A pattern with wildcards. */
function readGlob(word: string): string | undefined {
  const text = unquote(word);
  return /^[\p{L}\p{N}._@*?/{},[\]-]+$/u.test(text) && /[*?]/.test(text) ? text : undefined;
}

function unquote(text: string): string {
  return /^(?:"[^"]+"|`[^`]+`)$/.test(text) ? text.slice(1, -1) : text;
}
