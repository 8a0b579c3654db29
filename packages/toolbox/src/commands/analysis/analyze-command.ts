import { posix } from 'node:path';
import { parseShell } from '../shell/parse-shell.ts';
import { knownWord, type Redirection, type ShellWord } from '../shell/types.ts';
import { type Coverable, coverableWords, isOfSystem, programName, wordsOf } from './safe-programs.ts';
import { handsOver, readShellArguments, unwrapCommand } from './wrappers.ts';

export interface AnalyzedCommand extends Coverable {
  readonly words: readonly ShellWord[];
  /** The folders that it may run in, relative to the one that the command starts in; undefined if they are not known. */
  readonly folders: readonly string[] | undefined;
  /** Whether it gets an input, from the call, another command, a file or a text. */
  readonly isFed: boolean;
}

interface Facts {
  /** The programs that it runs, those of shells and wrappers included. */
  readonly commands: AnalyzedCommand[];
  /** Commands that its words may be about, such as the text of a script in another language. Only for rules that deny or ask. */
  readonly suspected: AnalyzedCommand[];
  readonly redirections: Redirection[];
  /** Whether it changes its folder, so that paths in it are not what they seem. */
  changesFolder: boolean;
  /** The folders that the next command may run in. */
  folders: readonly string[] | undefined;
  /** What hands words or an input to an interpreter, as a phrase: it may run what no word shows. */
  interpreter?: string | undefined;
  /** What is not known, as a phrase such as "a loop"; then the lists may be incomplete. Absent: they are complete. */
  unclear?: string | undefined;
}

export type CommandFacts = Readonly<Facts>;

const MAX_DEPTH = 10;
/** How many folders a command may run in, before they count as not known. Each `cd` doubles them, since it may fail, or be one of a subshell. */
const MAX_FOLDERS = 4;
/** The commands of a shell that change its folder. */
export const FOLDER_CHANGERS = wordsOf('cd pushd popd chdir');
/** How many values of options in a word may be scripts, and how many names are read in it. */
const MAX_VALUES = 4;
const MAX_TEXTS = 2000;

/**
 * Finds out what a command would run, from its argument vector and whether it gets an input. The script of a named shell (`bash -c …`) is parsed, and
 * programs that only run another one (`env`, `timeout`) are followed. Never throws.
 */
export function analyzeCommand(command: readonly string[], isFed = false): CommandFacts {
  const facts = nothing();
  add(facts, command.map(knownWord), isFed, 0, MAX_VALUES);
  return facts;
}

function nothing(): Facts {
  return { commands: [], suspected: [], redirections: [], changesFolder: false, folders: ['.'] };
}

/** Adds a program. `values` of the options among its words are looked at as scripts. */
function add(facts: Facts, words: readonly ShellWord[], isFed: boolean, depth: number, values: number): void {
  const [program, ...rest] = words;
  if (program === undefined) return;
  if (depth > MAX_DEPTH) facts.unclear ??= 'deep nesting';
  else if (program.text === undefined) facts.unclear ??= 'a program whose name only a shell knows';
  if (depth > MAX_DEPTH || program.text === undefined) return;
  const name = programName(program.text);
  const script = readShellArguments(name, rest);
  if (script !== undefined) {
    facts.unclear ??= script.unclear;
    addScript(facts, script.text, isFed, depth, values);
  }
  const inner = unwrapCommand(name, rest);
  for (const variable of inner?.variables ?? []) checkVariable(facts, variable);
  if (inner !== undefined) add(facts, inner.command, isFed, depth + 1, values);
  const isRead = inner !== undefined || (script !== undefined && script.unclear === undefined);
  if (isRead && isOfSystem(program.text)) return;
  if (name === 'git' && rest.some(({ prefix }) => /^(?:--config-env=)?(?:alias|include\w*)\./i.test(prefix)))
    facts.unclear ??= 'an alias of git';
  const coverable = coverableWords(words);
  facts.commands.push({ words, folders: facts.folders, isFed, ...coverable });
  if (isFed && !coverable.isListed) facts.interpreter ??= `${name} with an input`;
  if (coverable.isOpen.includes(false)) {
    const given = withoutMessages(name, rest);
    facts.interpreter ??= handsOver(name, given);
    suspect(facts, given, depth, values);
  }
  if (FOLDER_CHANGERS.has(name)) {
    facts.changesFolder = true;
    const to = rest[0]?.text ?? '';
    const folders = coverable.isListed ? facts.folders?.flatMap((each) => [each, posix.join(each, to)]) : undefined;
    facts.folders = folders !== undefined && folders.length <= MAX_FOLDERS ? folders : undefined;
  }
  if (name.startsWith('git-')) facts.suspected.push(plain([knownWord('git'), knownWord(name.slice(4)), ...rest]));
}

/** Leaves out the messages that Git stores, which are texts for people. */
function withoutMessages(name: string, words: readonly ShellWord[]): readonly ShellWord[] {
  if (name !== 'git' || !/^(?:commit|tag|merge|stash|notes)$/.test(words[0]?.text ?? '')) return words;
  return words.filter(({ text = '' }, index) => {
    return !/^(?:-[a-z]*m|--message)$/.test(words[index - 1]?.text ?? '') && !text.startsWith('--message=');
  });
}

/**
 * Adds what the words of a program that runs code may hold: a script for a shell, or names and files in any other
 * language, of which runs of letters, digits and `. / _ + -` are words. What a script may hold is only looked through
 * once.
 */
function suspect(facts: Facts, words: readonly ShellWord[], depth: number, values: number): void {
  for (const { text } of words) {
    if (text === undefined || !/[^\w./+-]/.test(text)) continue;
    const names = text.split(/[^\w./+-]+/).filter((each) => each !== '');
    facts.suspected.push(plain(names.slice(0, MAX_TEXTS).map(knownWord)));
    // The value of an option may be a script as well: `--rsh=SCRIPT`, `--checkpoint-action=exec=SCRIPT`.
    const starts = [...text.matchAll(/=/g)].slice(0, values).map(({ index }) => index + 1);
    for (const start of [0, ...starts]) {
      const nested = nothing();
      addScript(nested, text.slice(start), false, depth + 1, 0);
      facts.suspected.push(...nested.commands, ...nested.suspected);
      if (start > 0) facts.interpreter ??= nested.interpreter;
    }
  }
}

function plain(words: readonly ShellWord[]): AnalyzedCommand {
  return { words, folders: undefined, isFed: false, isListed: false, isOpen: words.map(() => false) };
}

function addScript(facts: Facts, script: string, isFed: boolean, depth: number, values: number): void {
  const { commands, unclear } = parseShell(script, isFed);
  facts.unclear ??= unclear;
  for (const command of commands) {
    for (const assignment of command.assignments) checkVariable(facts, assignment);
    facts.redirections.push(...command.redirections);
    add(facts, command.words, command.isFed, depth + 1, values);
  }
}

/** The variables that can only change what a program prints or how it runs, and not which code. */
const HARMLESS = wordsOf(
  'CI DEBUG VERBOSE COVERAGE TERM COLUMNS LINES NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TZ LANG ' +
    'NODE_ENV BABEL_ENV RAILS_ENV RACK_ENV APP_ENV RUST_BACKTRACE RUST_LOG GOOS GOARCH CGO_ENABLED ' +
    'PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONHASHSEED SOURCE_DATE_EPOCH DO_NOT_TRACK',
);

function checkVariable(facts: Facts, { prefix }: ShellWord): void {
  const name = /^[A-Za-z_]\w*/.exec(prefix)?.[0] ?? '';
  if (!HARMLESS.has(name) && !/^LC_[A-Z]+$/.test(name)) facts.unclear ??= `the variable "${name}"`;
}
