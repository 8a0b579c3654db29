import { findExpressions } from './arithmetic.ts';
import { conceptOf, LETTER_OR_DIGIT, NEUTRAL_STEMS, plain, stemOf, STOP_WORDS } from './lexicon.ts';

export interface Token {
  readonly text: string;
  readonly lower: string;
  readonly concept: string;
  readonly kind: 'word' | 'number' | 'quoted' | 'path' | 'url' | 'email' | 'expression';
  /** `stop` words carry no meaning, `neutral` words are evidence at most, and `content` words must be accounted for. */
  readonly role: 'stop' | 'neutral' | 'content';
  readonly start: number;
  readonly end: number;
}

const PART = `[${LETTER_OR_DIGIT}._@+-]`;
const ANY = `[${LETTER_OR_DIGIT}]`;
// What can be long begins only where no character of its own is before it, so that none is read twice.
const PIECE = new RegExp(
  [
    String.raw`(?<quoted>"[^"]+"|“[^“”]+”|‘[^‘’]+’|\x60[^\x60]+\x60|(?<!${ANY})'[^']+'(?!${ANY}))`,
    String.raw`(?<url>https?:\/\/[^\s<>"']+)`,
    String.raw`(?<email>(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)`,
    String.raw`(?<path>(?:~|\.{1,2})?(?:\/${PART}+)+\/?|(?<!${PART})(?:${PART}+\/)+(?:${PART}+)?|\.${ANY}[${LETTER_OR_DIGIT}._-]*|\.{1,2}\/|(?<=\s)\.{1,2}(?=\s|$))`,
    String.raw`(?<flag>(?<=\s)--?[A-Za-z][\w-]*)`,
    String.raw`(?<number>-?\d+(?:,\d{3})*(?:\.\d+)?(?![${LETTER_OR_DIGIT}_:-]|\.\d))`,
    String.raw`(?<word>(?:UTC|GMT)[+-]\d{1,2}(?::\d{2})?(?!${ANY})|[${LETTER_OR_DIGIT}_$][${LETTER_OR_DIGIT}_$'’.:@-]*)`,
  ].join('|'),
  'g',
);
const LITERALS = ['url', 'email', 'path', 'number'] as const;

const FILES_BY_NAME =
  /^(?:LICEN[CS]E|README|CHANGELOG|NOTICE|COPYING|AUTHORS|CONTRIBUTING|readme|Makefile|Dockerfile|Gemfile|Rakefile|Procfile)$/;
const FILE_NAME = new RegExp(String.raw`^(?!\.)${PART}+\.[a-z][a-z0-9]{0,9}$`);

/** Splits a prompt into tokens. Each of `expressions` becomes one token; pass `[]` to split arithmetic into numbers and words. */
export function tokenize(text: string, expressions = findExpressions(text)): readonly Token[] {
  const tokens = expressions.map(({ start, end, value }) => literal('expression', value, start, end));
  // Both are in the order of the text.
  let next = 0;
  for (const { 0: raw, groups = {}, index: start } of text.matchAll(PIECE)) {
    const end = start + raw.length;
    while ((expressions[next]?.end ?? Infinity) <= start) next += 1;
    if (groups['flag'] !== undefined || end > (expressions[next]?.start ?? Infinity)) continue;
    const kind = LITERALS.find((name) => groups[name] !== undefined);
    if (groups['quoted'] !== undefined) tokens.push(literal('quoted', raw.slice(1, -1), start, end));
    else if (kind === undefined) tokens.push(...wordToken(raw, start));
    else {
      const value = kind === 'number' || kind === 'email' ? raw : raw.replace(/(?<=[^./])[.,:;!?]+$/, '');
      tokens.push(literal(kind, value, start, start + value.length));
    }
  }
  return tokens.toSorted((a, b) => a.start - b.start);
}

function wordToken(raw: string, start: number): readonly Token[] {
  const text = raw.replace(/[.:'’@-]+$/, '');
  if (text === '') return [];
  if (FILES_BY_NAME.test(text) || FILE_NAME.test(text)) return [literal('path', text, start, start + text.length)];
  const lower = plain(text).replaceAll('’', "'");
  const stem = stemOf(lower);
  const role = STOP_WORDS.has(lower) ? 'stop' : NEUTRAL_STEMS.has(stem) ? 'neutral' : 'content';
  return [{ text, lower, concept: conceptOf(lower), kind: 'word', role, start, end: start + text.length }];
}

function literal(kind: Token['kind'], text: string, start: number, end: number): Token {
  const lower = plain(text);
  return { text, lower, concept: lower, kind, role: 'content', start, end };
}
