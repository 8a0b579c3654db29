import { findExpressions, NUMBER_WORDS } from '../language/arithmetic.ts';
import { isAction, STOP_WORDS } from '../language/lexicon.ts';
import { findNegation } from '../language/negation.ts';
import { timeZoneOf } from '../language/time-zones.ts';
import { tokenize } from '../language/tokenize.ts';

const MAX_WORDS = 120;
const WORD = /"[^"]+"|`[^`]+`|“[^“”]+”|(?<!\S)'[^']+'(?!\S)|[^\s"`]+|["`]/g;
const LEAD_IN =
  /^(?:(?:please|kindly|hi|hello|hey|now|then|also|(?:can|could|would|will) you|i (?:want|would like) to know|do you know|tell me|give me|show(?: me)?|print|display|calculate|compute|what is|what are|how much is),? )+(?=\S)/i;
const ENDING = /(?<=\S)(?:,? (?:please|thanks|thank you|for me))+$/i;

export const POLITE: ReadonlySet<string> = new Set(
  `please kindly hi hello hey now then also can could would will you i want like to know do tell give me show print display calculate compute
  what whats what's what’s when's when’s is are how much thanks thank for the`.split(/\s+/),
);

/** Stands before a word that could change a request: no value holds one. */
export const MARK = '\u0001';

/**
 * A request, or the text of a phrase, with one space between its words: without the polite ones at both ends, `the`, and the mark at the end of the sentence. A
 * number is split from the unit or `%` at its end. Returns `undefined` if it has too many words.
 */
export function plainRequest(text: string): string | undefined {
  const sentence = text.trim().replace(/[.?!]+$/, '');
  const found = sentence.match(WORD) ?? [];
  if (found.length > MAX_WORDS) return undefined;
  const words = found.map(expand).filter((word) => word.toLowerCase() !== 'the');
  return words.join(' ').replace(ENDING, '').replace(LEAD_IN, '');
}

export function markWords(request: string): string {
  return (request.match(WORD) ?? [])
    .map((word) => {
      const isClear = /^(?:per|US)$/.test(word) || !STOP_WORDS.has(word.toLowerCase().replace(/[,:]$/, ''));
      return isClear && findNegation(word) === undefined ? word : `${MARK}${word}`;
    })
    .join(' ');
}

function expand(word: string): string {
  return word
    .replace(/^(what|when)(?:['’]s|(?<=what)s)$/i, '$1 is')
    .replace(/^([-−]?[$€£]?\d[\d.,]*)(%|°?[a-zµ][a-z/]*[²³]?)$/iu, '$1 $2');
}

const QUOTED = '"[^"]+"|`[^`]+`|“[^“”]+”|(?<!\\S)\'[^\']+\'';
const ONE_WORD = `(?:${QUOTED}|[^\\s${MARK}]+)`;
const PLAIN_NUMBER = String.raw`[-−]?[$€£]?\d{1,15}(?:\.\d{1,15})?`;
const NUMBER = String.raw`(?:[-−]?[$€£]?\d{1,3}(?:,\d{3})+(?:\.\d{1,15})?|${PLAIN_NUMBER}|${[...NUMBER_WORDS.keys()].join('|')})`;

export type Read = (text: string, request: string) => string | number | undefined;
type Kind = readonly [form: string, read: Read];

export const KINDS: Readonly<Record<string, Kind>> = {
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
    `(?:${MARK}?${NUMBER}|${MARK}?an?|${MARK}?half ${MARK}?an) (?:second|minute|hour|day|week|month|year)s?`,
    readDuration,
  ],
  weekday: ['(?:mon|tues|wednes|thurs|fri|satur|sun)day', (text) => text.toLowerCase()],
  glob: [
    String.raw`${MARK}?(?=\S*[*?])["\x60]?[^\s\"\x60<>|;$()!&]+["\x60]?`,
    (text) => unquote(text.replace(MARK, '')),
  ],
  extension: [String.raw`\.[a-z][a-z0-9]{0,9}`, (text) => `*${text}`],
};

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
  return token?.kind === 'path' && more.length === 0 && token.text === word ? word : undefined;
}

function unquote(text: string): string {
  return /^(?:"[^"]+"|`[^`]+`|“[^“”]+”|'[^']+')$/.test(text) ? text.slice(1, -1) : text;
}

/** What only code is called: `createRegistry`, `read_file`, `$HOME`. */
const IDENTIFIER = /^[\w$.]*(?:[a-z][A-Z]|\w_\w|\$\w)[\w$.]*$/;
/** A name of a file, as opposed to an address. */
const FILE = /^(?!\w+:\/\/|[^/]+@)(?:\S*[^.]\.(?:[a-z]\w{0,8}|[A-Z]{1,3})$|\S*\/)/;
const NO_PLACE =
  /^(?:web|internet|net|today|yesterday|tomorrow|repo|repository|project|workspace|codebase|folder|directory|file)$/i;
/** What rather describes a text, a file or a flag than being the text itself; and, where no word marks it as a query, a wish. */
const NO_QUERY = /["“‘`]|(?<!\w)'|(?:^|\s)-|^(?:words?|string|text|phrase|term)(?:\s|$)|^(?:files?|folders?)$/i;
const WISH =
  /^(?:last|lines?|today|yesterday|more|everything)(?:\s|$)|^\d+\s|(?:^|\s)(?:files?|folders?|lines?|count)$/i;

/** Whether another sentence, request, sum, file or name in code follows: then not all of it is the query. */
function hasMore(text: string): boolean {
  if (/[.?!;,&](?:\s|$)/.test(text)) return true;
  return text
    .split(/\s(?:and|of)\s/)
    .slice(1)
    .some(
      (rest) =>
        /^\S*[/.]/.test(rest) ||
        IDENTIFIER.test(rest) ||
        isAction(rest.split(' ')[0] ?? '') ||
        findExpressions(rest).length > 0,
    );
}

function readQuery(text: string, request: string): string | undefined {
  const query = text.replaceAll(MARK, '');
  const isQuoted = unquote(query) !== query;
  if (/\bimports?\s.*\sfrom\s/i.test(request)) return undefined;
  return isQuoted || (request.includes(query) && !NO_QUERY.test(query) && !hasMore(query)) ? unquote(query) : undefined;
}

function readUnmarked(text: string, request: string): string | undefined {
  const isWish = WISH.test(text) || request.includes(`the ${text}`) || request.endsWith('for me');
  return isWish && unquote(text) === text ? undefined : readQuery(text, request);
}

const queryWith = (words: string): string => `${ONE_WORD}(?: (?:${MARK}(?:${words}) )?${ONE_WORD}){0,9}?`;
const QUERY = queryWith('and|of');

export const SEARCH_KINDS: Readonly<Record<string, Kind>> = {
  query: [QUERY, readQuery],
  /** What files mention: `a and b` are two things, not a text. */
  subject: [queryWith('of'), readQuery],
  unmarked: [QUERY, readUnmarked],
  token: [ONE_WORD, readQuery],
  word: [ONE_WORD, (text, request) => (FILE.test(text) ? undefined : readUnmarked(text, request))],
  identifier: [
    ONE_WORD,
    (text, request) => (unquote(text) !== text || IDENTIFIER.test(text) ? readQuery(text, request) : undefined),
  ],
  place: [
    ONE_WORD,
    (text) => (timeZoneOf(unquote(text)) === undefined && !NO_PLACE.test(text) ? unquote(text) : undefined),
  ],
};
