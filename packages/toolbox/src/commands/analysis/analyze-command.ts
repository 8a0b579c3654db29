import { posix } from 'node:path';
import { parseShell } from '../shell/parse-shell.ts';
import { knownWord, type Redirection, type ShellWord, type SimpleCommand } from '../shell/types.ts';
import { isOfSystem, programName, type Coverable, coverableWords } from './safe-programs.ts';
import { handsOver, readShellArguments, unwrapCommand } from './wrappers.ts';

export interface AnalyzedCommand extends Coverable {
  readonly words: readonly ShellWord[];
  /** The folders that it may run in, relative to the one that the command starts in; undefined if they are not known. */
  readonly folders: readonly string[] | undefined;
  /** Whether it gets an input, from the call, another command, a file or a text. */
  readonly isFed: boolean;
}

export interface CommandFacts {
  /** The programs that it runs, those of shells and wrappers included. */
  readonly commands: readonly AnalyzedCommand[];
  /** Commands that its words may be about, such as the text of a script in another language. Only for rules that deny or ask. */
  readonly suspected: readonly AnalyzedCommand[];
  readonly redirections: readonly Redirection[];
  /** Whether it changes its folder, so that paths in it are not what they seem. */
  readonly changesFolder: boolean;
  /** What hands words or an input to an interpreter, as a phrase: it may run what no word shows. */
  readonly interpreter?: string;
  /** What is not known, as a phrase such as "a loop"; then the lists may be incomplete. Absent: they are complete. */
  readonly unclear?: string;
}

const MAX_DEPTH = 10;
/** How many folders a command may run in, before they count as not known. Each `cd` doubles them, since it may fail, or be one of a subshell. */
const MAX_FOLDERS = 4;
const FOLDER_CHANGERS = new Set(['cd', 'pushd', 'popd', 'chdir']);

/**
 * Finds out what a command would run, from its argument vector and whether it gets an input. The script of a named shell (`bash -c …`) is parsed, and
 * programs that only run another one (`env`, `timeout`) are followed. Never throws.
 */
export function analyzeCommand(command: readonly string[], isFed = false): CommandFacts {
  const found = nothing();
  add(found, command.map(knownWord), isFed, 0);
  const { unclear, interpreter, folders: _folders, isSuspected: _isSuspected, ...rest } = found;
  return { ...rest, ...(interpreter !== undefined && { interpreter }), ...(unclear !== undefined && { unclear }) };
}

interface Found {
  commands: AnalyzedCommand[];
  suspected: AnalyzedCommand[];
  redirections: Redirection[];
  changesFolder: boolean;
  folders: readonly string[] | undefined;
  interpreter: string | undefined;
  unclear: string | undefined;
  /** Whether it is what a text may be, and so is only looked through once. */
  readonly isSuspected: boolean;
}

function nothing(): Found {
  const lists = { commands: [], suspected: [], redirections: [] };
  return {
    ...lists,
    changesFolder: false,
    folders: ['.'],
    interpreter: undefined,
    unclear: undefined,
    isSuspected: false,
  };
}

function add(found: Found, words: readonly ShellWord[], isFed: boolean, depth: number): void {
  const [program, ...rest] = words;
  if (program === undefined) return;
  if (depth > MAX_DEPTH) {
    found.unclear ??= 'deep nesting';
    return;
  }
  if (program.text === undefined) {
    found.unclear ??= 'a program whose name only a shell knows';
    return;
  }
  const name = programName(program.text);
  const script = readShellArguments(name, rest);
  if (script !== undefined) {
    found.unclear ??= script.unclear;
    addScript(found, script.text, isFed, depth);
    if (script.unclear === undefined && isOfSystem(program.text)) return;
  }
  const inner = unwrapCommand(name, rest);
  for (const variable of inner?.variables ?? []) checkVariable(found, variable);
  if (inner !== undefined) add(found, inner.command, isFed, depth + 1);
  if (inner !== undefined && isOfSystem(program.text)) return;
  if (name === 'git' && rest.some(({ prefix }) => /^(?:--config-env=)?(?:alias|include\w*)\./i.test(prefix)))
    found.unclear ??= 'an alias of git';
  const coverable = coverableWords(words);
  found.commands.push({ words, folders: found.folders, isFed, ...coverable });
  if (isFed && !coverable.isListed) found.interpreter ??= `${name} with an input`;
  if (coverable.isOpen.includes(false)) {
    const given = withoutMessages(name, rest);
    found.interpreter ??= handsOver(name, given);
    suspect(found, given, depth);
  }
  if (FOLDER_CHANGERS.has(name)) {
    found.changesFolder = true;
    found.folders = coverable.isListed ? alsoIn(found.folders, rest[0]?.text ?? '') : undefined;
  }
  if (name.startsWith('git-')) found.suspected.push(plain([knownWord('git'), knownWord(name.slice(4)), ...rest]));
}

function alsoIn(folders: readonly string[] | undefined, folder: string): readonly string[] | undefined {
  const all = folders?.flatMap((each) => [each, posix.join(each, folder)]);
  return all === undefined || all.length > MAX_FOLDERS ? undefined : all;
}

/** Leaves out the messages that Git stores, which are texts for people. */
function withoutMessages(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  if (name !== 'git' || !/^(?:commit|tag|merge|stash|notes)$/.test(words[0]?.text ?? '')) return words;
  return words.filter(({ text = '' }, index) => {
    return !/^(?:-[a-z]*m|--message)$/.test(words[index - 1]?.text ?? '') && !text.startsWith('--message=');
  });
}

/** Adds what the words of a program that runs code may hold: a script for a shell, or names and files in any other language. */
function suspect(found: Found, words: readonly ShellWord[], depth: number): void {
  for (const { text } of words) {
    if (text === undefined || !/[^\w./+-]/.test(text)) continue;
    found.suspected.push(plain(textsWithin(text).map(knownWord)));
    // The value of an option may be a script as well: `--rsh=SCRIPT`, `--checkpoint-action=exec=SCRIPT`.
    const values = [...text.matchAll(/=/g)].slice(0, found.isSuspected ? 0 : MAX_VALUES).map(({ index }) => index + 1);
    for (const start of [0, ...values]) {
      const nested = { ...nothing(), isSuspected: true };
      addScript(nested, text.slice(start), false, depth + 1);
      found.suspected.push(...nested.commands, ...nested.suspected);
      if (start > 0) found.interpreter ??= nested.interpreter;
    }
  }
}

function plain(words: readonly ShellWord[]): AnalyzedCommand {
  return { words, folders: undefined, isFed: false, isListed: false, isOpen: words.map(() => false) };
}

function addScript(found: Found, script: string, isFed: boolean, depth: number): void {
  const { commands, unclear } = parseShell(script, isFed);
  found.unclear ??= unclear;
  for (const command of commands) addSimple(found, command, depth);
}

function addSimple(found: Found, { words, assignments, redirections, isFed }: SimpleCommand, depth: number): void {
  for (const assignment of assignments) checkVariable(found, assignment);
  found.redirections.push(...redirections);
  add(found, words, isFed, depth + 1);
}

function checkVariable(found: Found, assignment: ShellWord): void {
  const name = /^[A-Za-z_]\w*/.exec(assignment.prefix)?.[0] ?? '';
  if (!isHarmlessVariable(name)) found.unclear ??= `the variable "${name}"`;
}

const HARMLESS = new Set(
  [
    'CI DEBUG VERBOSE COVERAGE TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TZ LANG',
    'NODE_ENV BABEL_ENV RAILS_ENV RACK_ENV APP_ENV RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED',
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED SOURCE_DATE_EPOCH DO_NOT_TRACK',
  ]
    .join(' ')
    .split(' '),
);

/** Whether a variable that is set for a program can only change what it prints or how it runs, and not which code. */
function isHarmlessVariable(name: string): boolean {
  return HARMLESS.has(name) || /^LC_[A-Z]+$/.test(name);
}

const MAX_TEXTS = 2000;
const MAX_VALUES = 4;

/** Returns what may be names of programs, arguments and files in a text of any language: its runs of letters, digits and `. / _ + -`. */
function textsWithin(text: string): readonly string[] {
  return text
    .split(/[^\w./+-]+/)
    .filter((each) => each !== '')
    .slice(0, MAX_TEXTS);
}
