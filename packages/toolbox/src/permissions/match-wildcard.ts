import { attempt } from '@kernel/internal';
import { homedir } from 'node:os';
import { escapeGlob } from '../workspace/glob.ts';

/** Whether a text matches a pattern, in which `*` matches any characters and `\` escapes one that is no letter or digit. Takes linear time. */
export function matchWildcard(pattern: string, text: string): boolean {
  const parts = splitAtStars(pattern);
  const [first = '', ...rest] = parts;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  const end = text.length - last.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

export function literalPrefix(pattern: string): string {
  return splitAtStars(pattern)[0] ?? '';
}

export function escapeWildcards(text: string): string {
  return text.replaceAll(/[\\*|\s]/g, String.raw`\$&`);
}

export function escapeBackslashes(pattern: string): string {
  return pattern.replaceAll('\\', '\\\\');
}

/** The commands of a pattern that names several, as `a && b`, `a | b` and `a; b` do. */
export function splitCommands(pattern: string): readonly string[] {
  const joined = splitWords(pattern).map((word) => (/^(?:&&?|\|\|?)$/.test(word) ? ';' : word));
  return splitUnescaped(joined.join(' '), /;/).filter((each) => each.trim() !== '');
}

/**
 * All that a pattern of words may mean in a rule that asks or denies: with `\` as an escape and as a character, and with quotes as characters and around
 * a word, in which a space is then escaped, and `~` as the home folder.
 */
export function readingsOfWords(pattern: string): ReadonlySet<string> {
  const unquoted = pattern.replaceAll(/"([^"]*)"|'([^']*)'/g, (_, double = '', single = '') =>
    escapeWildcards(double || single).replaceAll(String.raw`\*`, '*'),
  );
  return new Set([
    pattern,
    escapeBackslashes(pattern),
    pattern.replaceAll(/\\(?=[\p{L}\p{N}_.-])/gu, ''),
    unquoted,
    expandHome(pattern),
  ]);
}

export function splitWords(pattern: string): readonly string[] {
  return splitUnescaped(pattern, /\s/).filter((word) => word !== '');
}

/** Splits a text at each character that matches, unless a `\` is before it. */
export function splitUnescaped(text: string, separator: RegExp): readonly string[] {
  const parts = [''];
  for (const [piece] of text.matchAll(/\\[^]|[^]/g))
    if (piece.length === 1 && separator.test(piece)) parts.push('');
    else parts[parts.length - 1] += piece;
  return parts;
}

/** The literal texts between wildcards. Before a letter, a digit or `_ . -`, a `\` is a character of a name. */
function splitAtStars(pattern: string): string[] {
  const parts = [''];
  for (const [piece] of pattern.matchAll(/\\[^\p{L}\p{N}_.-]|[^]/gu))
    if (piece === '*') parts.push('');
    else parts[parts.length - 1] += piece.replace(/^\\(?=.)/s, '');
  return parts;
}

export interface TextTest {
  /** Whether the pattern matches exactly; for `allow`. */
  covers(text: string): boolean;
  /** Whether it matches when case, the form of Unicode, encodings and a part of the text are set aside; for `ask` and `deny`. `folder`: what paths may start from. */
  concerns(text: string, folder?: string): boolean;
}

export function toSlashes(text: string): string {
  return text.replaceAll('\\', '/');
}

/** A text as a file system may take it that does not tell case, forms of Unicode or unseen characters apart. */
export function fold(text: string): string {
  return text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '');
}

export function decode(text: string): string {
  return attempt(() => decodeURIComponent(text)) ?? text;
}

/** A pattern of paths or words, with each word that begins with `~`, `$HOME` or `${HOME}` below the home folder. */
export function expandHome(pattern: string): string {
  return pattern.replaceAll(/(?<!\S)(?:~|\$HOME|\$\{HOME\})(?=[/\s]|$)/g, () => escapeGlob(toSlashes(homedir())));
}
