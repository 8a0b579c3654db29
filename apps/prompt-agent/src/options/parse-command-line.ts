import { nearest } from '@kernel/internal';
import { usageError } from '../exit-code.ts';
import { COMMAND_NAMES, type CommandName, commandSpec, isCommand } from './commands.ts';
import { FLAG_NAMES, findFlag, type FlagName, type Flags, specOf } from './flags.ts';
import { type Given, readFlags } from './read-flags.ts';

interface CommandLine {
  /** The command; `ask` if the line names none. */
  readonly command: CommandName;
  /** The first word of commands such as `keys set` and `keys list`, whose help is asked for. */
  readonly group?: string;
  readonly flags: Flags;
  /** The words that are no flags, without the name of the command. */
  readonly words: readonly string[];
}

/** Parses a command line. Throws a usage error that names the word, and what was probably meant. */
export function parseCommandLine(argv: readonly string[]): CommandLine {
  const { given, words, isQuoted } = split(argv);
  const [first = ''] = words;
  if (given.has('help') && !isQuoted && words.length === 1 && !isCommand(first) && subcommandsOf(first).length > 0)
    return { command: 'ask', group: first, flags: { help: true }, words };
  const command = isQuoted || given.has('prompt') ? undefined : commandOf(words);
  return checked(given, command ?? 'ask', command === undefined ? words : words.slice(command.split(' ').length));
}

function commandOf(words: readonly string[]): CommandName | undefined {
  const [first = '', second = ''] = words;
  const pair = `${first} ${second}`;
  if (isCommand(pair)) return pair;
  if (isCommand(first)) return first;
  const group = subcommandsOf(first);
  if (group.length > 0) throw usageError(`${first} needs one of: ${group.join(', ')}. ${quoteHint(words)}`);
  if (words.length > 1 || /\s/.test(first)) return undefined;
  const [near] = nearest(first, new Set(COMMAND_NAMES.map((name) => name.split(' ')[0] ?? name)), 1);
  if (near !== undefined) throw usageError(`There is no command "${first}"; did you mean ${near}? ${quoteHint(words)}`);
  return undefined;
}

function subcommandsOf(first: string): readonly string[] {
  return COMMAND_NAMES.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1));
}

function checked(given: Given, command: CommandName, words: readonly string[]): CommandLine {
  const { flags: known, maxWords, usage } = commandSpec(command);
  if (words.length > maxWords)
    throw usageError(
      `${command} takes ${usage === '' ? 'no argument' : usage}, not "${words.join(' ')}". ${quoteHint([command, ...words])}`,
    );
  for (const name of given.keys())
    if (!known.includes(name))
      throw usageError(`--${name} has no effect on ${command}. See prompt-agent ${command} --help.`);
  if (given.has('help')) return { command, flags: { help: true }, words };
  return { command, flags: readFlags(given, known), words };
}

function quoteHint(words: readonly string[]): string {
  return `If it is a prompt, write: prompt-agent -- "${words.join(' ')}"`;
}

/** Separates flags, also in Go's spellings (`-flag`, `-flag value`, `-flag=false`), from words. */
function split(argv: readonly string[]): {
  readonly given: Given;
  readonly words: readonly string[];
  /** Whether `--` says that what follows is no command. */
  readonly isQuoted: boolean;
} {
  const given = new Map<FlagName, true | string | readonly string[]>();
  const words: string[] = [];
  let isQuoted = false;
  for (let index = 0; index < argv.length; index += 1) {
    const arg = argv[index] ?? '';
    if (arg === '--') {
      isQuoted = words.length === 0;
      words.push(...argv.slice(index + 1));
      break;
    }
    const [, written, inline] = /^--?([A-Za-z][A-Za-z0-9-]*)(?:=(.*))?$/s.exec(arg) ?? [];
    if (written === undefined) {
      words.push(arg);
      continue;
    }
    const name = findFlag(written);
    if (name === undefined) throw unknownFlag(arg.split('=', 1)[0] ?? arg, written);
    const { value: placeholder, multiple } = specOf(name);
    if (placeholder === undefined) {
      if (inline === undefined || inline === 'true') given.set(name, true);
      else if (inline !== 'false') throw usageError(`--${name} takes no value, or true or false; not "${inline}".`);
      continue;
    }
    if (inline === undefined) index += 1;
    const value = inline ?? argv[index];
    if (value === undefined) throw usageError(`--${name} needs a value: ${placeholder}.`);
    const before = given.get(name);
    given.set(name, multiple === true ? [...(typeof before === 'object' ? before : []), value] : value);
  }
  return { given, words, isQuoted };
}

function unknownFlag(arg: string, written: string): Error {
  const [near] = nearest(written, FLAG_NAMES, 1);
  const hint = near === undefined ? '' : ` Did you mean --${near}?`;
  return usageError(`Unknown flag ${arg}.${hint} See prompt-agent --help.`);
}
