import { findExpressions } from './expression.ts';
import { conceptOf, NEUTRAL_STEMS, STOP_WORDS } from './lexicon.ts';
import { plain, stemOf } from './stem.ts';

/** One word, name or literal of a prompt. */
export interface Token {
  /** As written; quotes removed. */
  readonly text: string;
  readonly lower: string;
  readonly concept: string;
  readonly kind: 'word' | 'number' | 'quoted' | 'path' | 'url' | 'email' | 'expression';
  /** `stop`: means nothing; `neutral`: evidence at most; `content`: has to be accounted for. */
  readonly role: 'stop' | 'neutral' | 'content';
  /** Offsets in the prompt. */
  readonly start: number;
  readonly end: number;
}

const PIECE =
  /(?<quoted>"[^"]+"|“[^”]+”|‘[^’]+’|`[^`]+`|(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}]))|(?<url>https?:\/\/[^\s<>"']+)|(?<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)|(?<path>(?:~|\.{1,2})?(?:\/[\p{L}\p{N}._@+-]+)+\/?|(?:[\p{L}\p{N}._@+-]+\/)+(?:[\p{L}\p{N}._@+-]+)?|\.[\p{L}\p{N}][\p{L}\p{N}._-]*|\.{1,2}\/|(?<=\s)\.{1,2}(?=\s|$))|(?<flag>(?<=\s)--?[A-Za-z][\w-]*)|(?<number>-?\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\p{N}_:-]|\.\d))|(?<word>(?:UTC|GMT)[+-]\d{1,2}(?::\d{2})?(?![\p{L}\p{N}])|[\p{L}\p{N}_$][\p{L}\p{N}_$'’.:@-]*)/gu;

const KNOWN_FILES =
  /^(?:LICEN[CS]E|README|CHANGELOG|NOTICE|COPYING|AUTHORS|CONTRIBUTING|readme|Makefile|Dockerfile|Gemfile|Rakefile|Procfile)$/;
const FILE_NAME = /^[\p{L}\p{N}_@+-][\p{L}\p{N}._@+-]*\.[a-z][a-z0-9]{0,9}$/u;

/** Reads a prompt into tokens. With `expressions`, arithmetic is one token; without, its numbers and words stand alone. */
export function tokenize(text: string, expressions = findExpressions(text)): readonly Token[] {
  const tokens: Token[] = expressions.map(({ start, end, value }) => literal('expression', value, start, end));
  for (const match of text.matchAll(PIECE)) {
    const raw = match[0];
    const start = match.index;
    if (expressions.some((found) => start < found.end && start + raw.length > found.start)) continue;
    const groups = match.groups ?? {};
    if (groups['quoted'] !== undefined) tokens.push(literal('quoted', raw.slice(1, -1), start, start + raw.length));
    else if (groups['word'] !== undefined) tokens.push(...wordToken(raw, start));
    else if (groups['flag'] === undefined) {
      const kind = (['url', 'email', 'path', 'number'] as const).find((name) => groups[name] !== undefined) ?? 'path';
      const value = kind === 'number' || kind === 'email' ? raw : raw.replace(/(?<=[^./])[.,:;!?]+$/, '');
      tokens.push(literal(kind, value, start, start + value.length));
    }
  }
  return tokens.toSorted((a, b) => a.start - b.start);
}

function wordToken(raw: string, start: number): readonly Token[] {
  const text = raw.replace(/[.:'’@-]+$/, '');
  if (text === '') return [];
  if (KNOWN_FILES.test(text) || FILE_NAME.test(text)) return [literal('path', text, start, start + text.length)];
  const lower = plain(text).replaceAll('’', "'");
  const stem = stemOf(lower);
  const role = STOP_WORDS.has(lower) ? 'stop' : NEUTRAL_STEMS.has(stem) ? 'neutral' : 'content';
  return [{ text, lower, concept: conceptOf(stem), kind: 'word', role, start, end: start + text.length }];
}

function literal(kind: Token['kind'], text: string, start: number, end: number): Token {
  const lower = plain(text);
  return { text, lower, concept: lower, kind, role: 'content', start, end };
}

/** Says whether a token looks like a name from code or a constant, not like a word of prose. */
export function isIdentifier(token: Token): boolean {
  return /[a-z][A-Z]|[_$]|\w[.:]{1,2}\w|[A-Za-z]\d|^[A-Z]{2,}$/.test(token.text) || token.text.startsWith('@');
}
