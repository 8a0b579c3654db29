import { KernelError } from '@kernel/protocol';
import { NUMBER_WORDS } from '../language/arithmetic.ts';
import { findNegation } from '../language/negation.ts';
import { KNOWN_FILES, tokenize } from '../language/tokenize.ts';
import { MARK, plainRequest, POLITE } from './plain-request.ts';
import type { ToolPhrase } from './tool-phrase.ts';

export interface CompiledPhrase {
  /** Matches a request with its words marked, and a space at its end. */
  readonly form: RegExp;
  /** By name, how the text of a value is read; `undefined` means that the phrase does not fit. */
  readonly values: ReadonlyMap<string, Read>;
  readonly takesMaterial: boolean;
}

const QUOTED = '"[^"]+"|`[^`]+`';
const ONE_WORD = `(?:${QUOTED}|[^\\s${MARK}]+)`;
const PLAIN_NUMBER = String.raw`[-−]?[$€£]?\d{1,15}(?:\.\d{1,15})?`;
const NUMBER = String.raw`(?:[-−]?[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d{1,15})?|${PLAIN_NUMBER}|${[...NUMBER_WORDS.keys()].join('|')})`;

type Read = (text: string) => string | number | undefined;

const KINDS: Readonly<Record<string, readonly [form: string, read: Read]>> = {
  words: [`${ONE_WORD}(?: ${ONE_WORD}){0,4}?`, readWords],
  word: [ONE_WORD, readWords],
  number: [NUMBER, readNumber],
  numbers: [
    String.raw`${PLAIN_NUMBER}(?:(?:(?:, ?|,? ${MARK}?and |,? & )${PLAIN_NUMBER})+|(?: ${PLAIN_NUMBER})+)`,
    readNumbers,
  ],
  path: [String.raw`(?:${QUOTED}|[^\s*?]+)`, readPath],
  day: [String.raw`\d{4}-\d{2}-\d{2}`, String],
  duration: [
    `(?:${NUMBER}|${MARK}?an?|${MARK}?half ${MARK}?an) (?:second|minute|hour|day|week|month|year)s?`,
    readDuration,
  ],
  weekday: ['(?:mon|tues|wednes|thurs|fri|satur|sun)day', (text) => text.toLowerCase()],
  glob: [
    String.raw`${MARK}?(?=\S*[*?])["\x60]?[^\s\"\x60<>|;$()!&]+["\x60]?`,
    (text) => unquote(text.replace(MARK, '')),
  ],
  extension: [String.raw`\.[a-z][a-z0-9]{0,9}`, (text) => `*${text}`],
};

/**
 * The words that a request must have for a phrase to fit, each as one of several, in lower case: of hundreds of phrases only a few are then compiled. Words
 * that `plainRequest` leaves out are not among them.
 */
export function neededWords({ text }: ToolPhrase): readonly (readonly string[])[] {
  const words = text.toLowerCase().split(' ');
  return words.filter((word) => !word.includes('{') && !word.endsWith('|)') && !POLITE.has(word)).map(choicesOf);
}

/** `(is|are)` as its words. */
function choicesOf(part: string): readonly string[] {
  return (part.startsWith('(') ? part.slice(1, -1) : part).split('|');
}

export function compilePhrase({ input, text }: ToolPhrase): CompiledPhrase {
  const values = new Map<string, Read>();
  const parts = (plainRequest(text) ?? '').split(' ').map((part) => {
    const [, name, kind = 'words'] = /^\{([a-z]+)(?::([a-z]+))?\}$/i.exec(part) ?? [];
    if (name === undefined) return wordForm(choicesOf(part));
    const known = Object.hasOwn(KINDS, kind) ? KINDS[kind] : undefined;
    if (known === undefined)
      throw new KernelError('CONFIG_INVALID', `The phrase "${text}" has a value of the kind "${kind}".`, {
        hint: `Kinds are ${Object.keys(KINDS).join(', ')}.`,
      });
    values.set(name, known[1]);
    return `(?<${name}>${known[0]}) `;
  });
  const takesMaterial = JSON.stringify(input).includes('"{material}"');
  return { form: new RegExp(`^${parts.join('')}$`, 'i'), values, takesMaterial };
}

function wordForm(choices: readonly string[]): string {
  const words = choices.filter((choice) => choice !== '');
  const form = words.map((word) => word.replaceAll(/[$()*+.?[\]^{}]/g, String.raw`\$&`)).join('|');
  return `(?:${MARK}?(?:${form}),? )${words.length < choices.length ? '?' : ''}`;
}

function readWords(text: string): string | undefined {
  return findNegation(text) === undefined ? unquote(text) : undefined;
}

function readNumber(text: string): number {
  return NUMBER_WORDS.get(text.toLowerCase()) ?? Number(text.replace('−', '-').replaceAll(/[$€£,]/g, ''));
}

/** Reads `1, 2 and 6` as a list with commas; where commas could also join thousands, it is none. */
function readNumbers(text: string): string | undefined {
  if (/\d,\d{3}(?!\d)/.test(text)) return undefined;
  const numbers = text.split(/[ ,]+/).filter((part) => /\d/.test(part));
  return numbers.map(readNumber).join(', ');
}

function readDuration(text: string): string | undefined {
  const [amount = '', unit = ''] = text
    .replaceAll(MARK, '')
    .toLowerCase()
    .split(/ (?=\w+$)/);
  if (amount === 'half an') return unit === 'hour' ? '30 minutes' : undefined;
  return `${/^an?$/.test(amount) ? 1 : readNumber(amount)} ${unit}`;
}

function readPath(word: string): string | undefined {
  if (unquote(word) !== word) return unquote(word);
  const [token, ...more] = tokenize(word, []);
  const isPath = token?.kind === 'path' && more.length === 0 && token.text === word;
  return KNOWN_FILES.get(word) ?? (isPath ? word : undefined);
}

function unquote(text: string): string {
  return text.replace(/^(["`])([^"`]+)\1$/, '$2');
}
