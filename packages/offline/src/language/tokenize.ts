import { findExpressions } from './arithmetic.ts';
import { byScript, forScripts } from './by-script.ts';
import { conceptOf, NEUTRAL_STEMS, STOP_WORDS } from './lexicon.ts';
import { plain, stemOf } from './stem.ts';

/** One word, name or literal of a prompt. */
export interface Token {
  /** The text as written, without quotes. */
  readonly text: string;
  /** The text in lower case and without accents. */
  readonly lower: string;
  /** What `conceptOf` gives for its stem; for a literal, `lower`. */
  readonly concept: string;
  /** The form that it was recognized by. */
  readonly kind: 'word' | 'number' | 'quoted' | 'path' | 'url' | 'email' | 'expression';
  /** `stop` words carry no meaning, `neutral` words are evidence at most, and `content` words must be accounted for. */
  readonly role: 'stop' | 'neutral' | 'content';
  /** The offset of its first character in the prompt. */
  readonly start: number;
  /** The offset after its last character. */
  readonly end: number;
}

const PIECE = forScripts(
  String.raw`(?<quoted>"[^"]+"|“[^”]+”|‘[^’]+’|\x60[^\x60]+\x60|(?<![\p{L}\p{N}])'[^']+'(?![\p{L}\p{N}]))|(?<url>https?:\/\/[^\s<>"']+)|(?<email>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)|(?<path>(?:~|\.{1,2})?(?:\/[\p{L}\p{N}._@+-]+)+\/?|(?:[\p{L}\p{N}._@+-]+\/)+(?:[\p{L}\p{N}._@+-]+)?|\.[\p{L}\p{N}][\p{L}\p{N}._-]*|\.{1,2}\/|(?<=\s)\.{1,2}(?=\s|$))|(?<flag>(?<=\s)--?[A-Za-z][\w-]*)|(?<number>-?\d+(?:,\d{3})*(?:\.\d+)?(?![\p{L}\p{N}_:-]|\.\d))|(?<word>(?:UTC|GMT)[+-]\d{1,2}(?::\d{2})?(?![\p{L}\p{N}])|[\p{L}\p{N}_$][\p{L}\p{N}_$'’.:@-]*)`,
  'g',
);

/** Files that prose has a word for: `the license`. */
export const KNOWN_FILES: ReadonlyMap<string, string> = new Map([
  ['license', 'LICENSE'],
  ['readme', 'README.md'],
  ['changelog', 'CHANGELOG.md'],
]);

const FILES_BY_NAME =
  /^(?:LICEN[CS]E|README|CHANGELOG|NOTICE|COPYING|AUTHORS|CONTRIBUTING|readme|Makefile|Dockerfile|Gemfile|Rakefile|Procfile)$/;
const FILE_NAME = forScripts(String.raw`^[\p{L}\p{N}_@+-][\p{L}\p{N}._@+-]*\.[a-z][a-z0-9]{0,9}$`);

/** Splits a prompt into tokens. Each of `expressions` becomes one token; pass `[]` to split arithmetic into numbers and words. */
export function tokenize(text: string, expressions = findExpressions(text)): readonly Token[] {
  const tokens: Token[] = expressions.map(({ start, end, value }) => literal('expression', value, start, end));
  for (const match of text.matchAll(byScript(text, PIECE))) {
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
  if (FILES_BY_NAME.test(text) || byScript(text, FILE_NAME).test(text))
    return [literal('path', text, start, start + text.length)];
  const lower = plain(text).replaceAll('’', "'");
  const stem = stemOf(lower);
  const role = STOP_WORDS.has(lower) ? 'stop' : NEUTRAL_STEMS.has(stem) ? 'neutral' : 'content';
  return [{ text, lower, concept: conceptOf(stem), kind: 'word', role, start, end: start + text.length }];
}

function literal(kind: Token['kind'], text: string, start: number, end: number): Token {
  const lower = plain(text);
  return { text, lower, concept: lower, kind, role: 'content', start, end };
}

/** Whether a token looks like an identifier or a constant, not like a word of prose. */
export function isIdentifier(token: Token): boolean {
  return /[a-z][A-Z]|[_$]|\w[.:]{1,2}\w|[A-Za-z]\d|^[A-Z]{2,}$/.test(token.text) || token.text.startsWith('@');
}
