import type { AnalyzedCommand } from '../commands/analysis/analyze-command.ts';
import { mayLeaveFolder } from '../commands/analysis/leaves-folder.ts';
import { programName } from '../commands/analysis/program-name.ts';
import type { ShellWord } from '../commands/shell/types.ts';
import { escapeWildcards, literalPrefix, matchWildcard } from './match-wildcard.ts';

/** The words of a pattern for commands, each with its alternatives. */
type CommandPattern = readonly (readonly string[])[];

/**
 * Whether a pattern such as `git status|diff *` covers a whole command: each word is matched by the word at its place, and a `*` at the end by any number
 * of further words.
 *
 * A wildcard covers only what `coverableWords` says, and nothing where the folder of the command is not known; of any other word the pattern has to name
 * the whole, or an option up to its `=`. Then a `*` at the end stands for no word at all, and covers no program that may read its code from its input.
 */
export function coversCommand(pattern: string, command: AnalyzedCommand, isFolderKnown = true): boolean {
  const { words, isListed, isOpen } = command;
  const expected = splitPattern(pattern);
  const isOpenEnded = isStar(expected.at(-1));
  const fixed = isOpenEnded ? expected.slice(0, -1) : expected;
  if (isOpenEnded ? words.length < fixed.length : words.length !== fixed.length) return false;
  const hasOperand = words.some(({ text = '-' }, index) => index > 0 && !text.startsWith('-'));
  if (isOpenEnded && !isListed && !hasOperand) return false;
  return words.every((word, index) => {
    const alternatives = fixed[index] ?? ['*'];
    return alternatives.some((each) => coversWord(each, word, isFolderKnown, isOpen[index] === true));
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

function coversWord(pattern: string, { text }: ShellWord, isFolderKnown: boolean, isOpen: boolean): boolean {
  if (text === undefined) return isFolderKnown && isOpen && pattern === '*';
  if (!matchWildcard(pattern, text)) return false;
  const named = literalPrefix(pattern);
  if (named === text) return true;
  return isFolderKnown && (isOpen || (/.=$/.test(named) && !mayLeaveFolder(text)));
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
