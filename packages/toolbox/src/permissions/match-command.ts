import { posix } from 'node:path';
import type { AnalyzedCommand } from '../commands/analysis/analyze-command.ts';
import { isPlainPath, mayLeaveFolder } from '../commands/analysis/leaves-folder.ts';
import { programName } from '../commands/analysis/safe-programs.ts';
import type { ShellWord } from '../commands/shell/types.ts';
import { mayHoldCredentials } from '../workspace/credential-names.ts';
import { escapeGlob } from '../workspace/glob.ts';
import { type Links, pathsIn } from './links.ts';
import {
  escapeBackslashes,
  escapeWildcards,
  literalPrefix,
  matchWildcard,
  readingsOfWords,
  splitCommands,
  splitUnescaped,
  splitWords,
  type TextTest,
} from './match-wildcard.ts';

export interface ResolvedCommand extends AnalyzedCommand {
  /** For each word: whether it is open to tools that read, if it is a path: in the workspace, as far as folders and links tell, and of no credentials. */
  readonly isInside: readonly boolean[];
}

/**
 * Finds out what a wildcard covers of a command that starts in a folder of the workspace, as rules know it. Without
 * `links`, none are known. `placesOf` returns the names of a folder: a rule has to cover each of them.
 */
export function resolveCommand(
  { folders: below, ...command }: AnalyzedCommand,
  folder: string,
  { links, placesOf }: { readonly links: Links | undefined; readonly placesOf: (folder: string) => readonly string[] },
): ResolvedCommand {
  const folders = below?.flatMap((each) => placesOf(posix.join(folder, each)));
  const read = foldersRead(command.words);
  const isShown =
    folders?.every(
      (at) =>
        !mayLeaveFolder(at) &&
        links?.leadOut(at) !== true &&
        !read.some((each) => links?.holdsCredentials(posix.join(at, each)) === true),
    ) === true;
  const isInside = command.words.map(
    (word) => isShown && !namesCredentials(word) && !folders.some((each) => links?.leadOutOf(each, word) === true),
  );
  const isOpen = command.isOpen.map((each, index) => each && isInside[index] === true);
  return { ...command, folders, isInside, isOpen };
}

/** The folders of which a command may print all that is in them. */
function foldersRead([program, ...words]: readonly ShellWord[]): readonly string[] {
  const texts = words.map(({ text = '.' }) => text);
  const isRecursive = texts.some((text) => /^(?:-[^-]*[dr]|--(?:di|rec))/.test(text));
  if (programName(program?.text ?? '') !== 'grep' || !isRecursive) return [];
  const operands = texts.filter((text) => !text.startsWith('-'));
  const isValue = (index: number): boolean => /^(?:-[^-]*[A-Ddefm]|--[^=]+)$/.test(texts[index - 1] ?? '');
  const certain = texts.filter((text, index) => !text.startsWith('-') && !isValue(index));
  // With nothing but a pattern it reads the folder that it is in.
  return certain.length > 1 ? operands : ['.', ...operands];
}

/** Whether a word names what no tool for files reads, also as the value of an option, or behind the `:` of Git's `REVISION:PATH`. */
function namesCredentials({ text, glob = '' }: ShellWord): boolean {
  return pathsIn(text ?? glob).some((path) => path.split(/[=:@,]/).some(mayHoldCredentials));
}

/** The words of a pattern, each as its alternatives. */
type CommandPattern = readonly (readonly string[])[];

/** Tests commands against a pattern of words, such as `git status|diff *`. */
export interface CommandTest {
  /**
   * Whether it covers a whole command, for `allow`: each word is matched by the word at its place, and a `*` at the end
   * by any number of further words.
   *
   * A wildcard covers only what `coverableWords` says; of any other word the pattern has to name the whole, or an
   * option up to its `=`. Then a `*` at the end stands for no word at all, and covers no program that may read its code
   * from its input. No pattern covers a program that gets an input, which it does not name, unless the program is one
   * that only reads. A command with such words means something else in another folder, so it is covered in the one that
   * the rule names (`cd FOLDER && …`), or else at the top of the workspace.
   */
  covers(command: ResolvedCommand): boolean;
  /**
   * Whether it may be about one of these commands, for `ask` and `deny`, or, where it names several (`a && b`), about
   * all of them: its first word is the program in any folder, the others come in their order with anything between
   * them. Words that only a shell knows may be any.
   */
  concerns(commands: readonly AnalyzedCommand[]): boolean;
  /** Whether it is written like a command as a whole, or like one of its words. */
  isWrittenAs(command: readonly string[]): boolean;
}

export function compileCommand(pattern: string, folder: TextTest | undefined): CommandTest {
  const expected = splitPattern(pattern);
  const isOpenEnded = isStar(expected.at(-1));
  const fixed = isOpenEnded ? expected.slice(0, -1) : expected;
  const readings = [[pattern], splitCommands(pattern)].map((parts) => parts.map(readingsOf));
  const written = pattern.trim();
  return {
    covers({ folders, isFed, isInside, isListed, isOpen, words }) {
      if (isFed && !isListed) return false;
      const isThere = folders?.every((each) => (folder === undefined ? each === '.' : folder.covers(each))) === true;
      if (!isThere && (folder !== undefined || isOpen.includes(false))) return false;
      if (isOpenEnded ? words.length < fixed.length : words.length !== fixed.length) return false;
      const hasOperand = words.some(({ text = '-' }, index) => index > 0 && !text.startsWith('-'));
      if (isOpenEnded && !isListed && !hasOperand) return false;
      return words.every((word, index) =>
        (fixed[index] ?? ['*']).some((each) =>
          coversWord(each, word, isInside[index] === true, isOpen[index] === true),
        ),
      );
    },
    concerns: (commands) =>
      readings.some(
        (parts) =>
          parts.length > 0 &&
          parts.every((part) => commands.some(({ words }) => part.some((each) => concernsWords(each, words)))),
      ),
    isWrittenAs: (command) => command.includes(written) || matchWildcard(escapeBackslashes(written), command.join(' ')),
  };
}

/** All meanings of a command pattern in a rule that asks or denies, also with the `|` of a word as a character. */
function readingsOf(pattern: string): readonly CommandPattern[] {
  return [...readingsOfWords(pattern)].map((each) =>
    splitPattern(each)
      .filter((alternatives, index) => index === 0 || !isStar(alternatives))
      .map((all) => (all.length === 1 ? all : [...all, all.join(String.raw`\|`)])),
  );
}

function concernsWords([program, ...expected]: CommandPattern, words: readonly ShellWord[]): boolean {
  // A program that runs others, such as sudo, has their names among its arguments. What follows the first place
  // includes what follows any other.
  const start = words.findIndex((word) => program?.some((each) => mayBe(each, word, true)));
  if (start === -1) return false;
  let next = 0;
  for (const word of words.slice(start + 1))
    if (expected[next]?.some((each) => mayBe(each, word, false)) === true) next += 1;
  return next === expected.length;
}

/** The pattern that covers exactly this command, where it runs; undefined if a part of it only a shell knows, or it gets an input. */
export function patternFor({ folders, isFed, words }: ResolvedCommand): string | undefined {
  const texts = words.map(({ text }) => text);
  if (texts.includes(undefined) || isFed) return undefined;
  const pattern = texts.map((text) => escapeWildcards(text ?? '')).join(' ');
  const [folder = '.', ...others] = folders ?? [];
  if (others.length > 0 || folder === '.') return pattern;
  return `cd ${escapeGlob(folder).replaceAll(/\s/g, String.raw`\$&`)} && ${pattern}`;
}

function mayBe(pattern: string, { text, prefix }: ShellWord, isProgram: boolean): boolean {
  if (text === undefined)
    return prefix === '' || pattern.startsWith(prefix) || prefix.startsWith(literalPrefix(pattern));
  return matchWildcard(pattern, text) || (isProgram && matchWildcard(pattern.toLowerCase(), programName(text)));
}

function coversWord(pattern: string, { text }: ShellWord, isInside: boolean, isOpen: boolean): boolean {
  if (text === undefined) return isOpen && pattern === '*';
  if (!matchWildcard(pattern, text)) return false;
  const named = literalPrefix(pattern);
  if (named === text || isOpen) return true;
  // Only its program knows what is in the value of an option: a list, an address, `@FILE`.
  return isInside && /.=$/.test(named) && isPlainPath(text.slice(named.length));
}

function isStar(alternatives: readonly string[] | undefined): boolean {
  return alternatives?.length === 1 && alternatives[0] === '*';
}

function splitPattern(pattern: string): CommandPattern {
  return splitWords(pattern).map((word) => splitUnescaped(word, /\|/));
}
