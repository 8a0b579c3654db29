import type { AnalyzedCommand } from '../commands/analysis/analyze-command.ts';
import { programName } from '../commands/analysis/program-name.ts';
import type { ShellWord } from '../commands/shell/types.ts';
import { escapeWildcards, literalPrefix, matchWildcard } from './match-wildcard.ts';

/** The words of a pattern for commands, each with its alternatives. */
type CommandPattern = readonly (readonly string[])[];

/**
 * Whether a pattern such as `git status|diff *` covers a whole command: each word is matched by the word at its place, and a `*` at the end by any number
 * of further words.
 *
 * A wildcard covers neither an argument that can make its program run another one or write a file, nor one that only a shell knows and that could become
 * such: the pattern has to name it, at least up to a `*` within the word. A `*` at the end does not cover an interpreter that reads its code from its
 * input either: `echo … | node`.
 */
export function coversCommand(pattern: string, { words, unsafe, readsCode }: AnalyzedCommand): boolean {
  const expected = splitPattern(pattern);
  const isOpen = isStar(expected.at(-1));
  if (isOpen && readsCode) return false;
  const fixed = isOpen ? expected.slice(0, -1) : expected;
  if (isOpen ? words.length < fixed.length : words.length !== fixed.length) return false;
  return words.every((word, index) => {
    const alternatives = fixed[index] ?? ['*'];
    return alternatives.some((each) => coversWord(each, word, unsafe[index] === true));
  });
}

/**
 * Whether a pattern may be about a command: its first word is the program in any folder, the others come in their order with anything between them. Words
 * that only a shell knows may be any.
 */
export function concernsCommand(pattern: string, { words }: AnalyzedCommand): boolean {
  const expected = splitPattern(pattern).filter((alternatives, index) => index === 0 || !isStar(alternatives));
  // A program that runs others, such as sudo, has their names among its arguments.
  const [program] = expected;
  const start = words.findIndex((word) => program?.some((each) => mayBe(each, word, true)));
  // What follows the first place includes what follows any other.
  return start !== -1 && isInOrder(expected.slice(1), words.slice(start + 1));
}

/** The pattern that covers exactly this command; undefined if a part of it only a shell knows. */
export function patternFor({ words }: AnalyzedCommand): string | undefined {
  const texts = words.map(({ text }) => text);
  return texts.includes(undefined) ? undefined : texts.map((text) => escapeWildcards(text ?? '')).join(' ');
}

function isInOrder(expected: CommandPattern, words: readonly ShellWord[]): boolean {
  let next = 0;
  for (const word of words) {
    const alternatives = expected[next];
    if (alternatives === undefined) return true;
    if (alternatives.some((each) => mayBe(each, word, false))) next += 1;
  }
  return next >= expected.length;
}

function mayBe(pattern: string, { text, prefix }: ShellWord, isProgram: boolean): boolean {
  if (text === undefined)
    return prefix === '' || pattern.startsWith(prefix) || prefix.startsWith(literalPrefix(pattern));
  return matchWildcard(pattern, text) || (isProgram && matchWildcard(pattern.toLowerCase(), programName(text)));
}

function coversWord(pattern: string, { text, prefix }: ShellWord, isUnsafe: boolean): boolean {
  if (text === undefined) return !isUnsafe && pattern === '*' && prefix !== '' && !prefix.startsWith('-');
  if (!matchWildcard(pattern, text)) return false;
  if (!isUnsafe) return true;
  const named = literalPrefix(pattern);
  // `--output=*` names the option; `--o*` and `*` do not.
  return named === text || (named.length > 0 && named.endsWith('=') && text.startsWith(named));
}

function isStar(alternatives: readonly string[] | undefined): boolean {
  return alternatives?.length === 1 && alternatives[0] === '*';
}

/** Splits a pattern at spaces, and each word at `|`; `\` keeps both from it. */
function splitPattern(pattern: string): CommandPattern {
  return splitUnescaped(pattern.trim(), /\s/)
    .filter((word) => word !== '')
    .map((word) => splitUnescaped(word, /\|/));
}

function splitUnescaped(text: string, separator: RegExp): readonly string[] {
  const parts = [''];
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at] ?? '';
    if (separator.test(char)) parts.push('');
    else {
      parts[parts.length - 1] += char;
      if (char === '\\') {
        at += 1;
        parts[parts.length - 1] += text[at] ?? '';
      }
    }
  }
  return parts;
}
