import type { ShellWord, SimpleCommand } from './types.ts';

export interface Reading {
  readonly source: string;
  at: number;
  readonly commands: SimpleCommand[];
  depth: number;
  /** Whether the commands that are read next get the output of another one. */
  isFed: boolean;
  /** The first thing that was not understood; nothing is read after it. */
  unclear: string | undefined;
  readonly readNested: (reading: Reading, end: string, isFed: boolean) => void;
}

/** Ends the reading at what is not understood. */
export function stop(reading: Reading, unclear: string): void {
  reading.unclear ??= unclear;
  reading.at = reading.source.length;
}

/** Reads what a sticky pattern matches; null if it does not match here. */
export function take(reading: Reading, pattern: RegExp): RegExpExecArray | null {
  pattern.lastIndex = reading.at;
  const found = pattern.exec(reading.source);
  reading.at += found?.[0].length ?? 0;
  return found;
}

interface Word {
  known: string;
  isKnown: boolean;
  /** All of it, as long as nothing but wildcards is unknown. */
  glob: string | undefined;
}

const ENDS_WORD = new Set([' ', '\t', '\n', ';', '|', '&', '<', '>', '(', ')']);

/** Reads one word with its quotes. Its text is undefined from the first piece on that only a shell can tell. */
export function readWord(reading: Reading): ShellWord {
  const word: Word = { known: '', isKnown: true, glob: '' };
  const { source, at: start } = reading;
  if (source[start] === '~') unknown(reading, word, 1);
  let isQuoted = false;
  for (;;) {
    const char = source[reading.at];
    const next = source[reading.at + 1] ?? '';
    if (char === undefined) break;
    if (char === '"') {
      isQuoted = !isQuoted;
      reading.at += 1;
    } else if (char === '\\' && (!isQuoted || '$`"\\\n'.includes(next))) readEscape(reading, word, next);
    else if (char === '$' || char === '`') readExpansion(reading, word, isQuoted);
    else if (isQuoted) literal(reading, word);
    else if ('<>'.includes(char) && next === '(') {
      unknown(reading, word, 2);
      reading.readNested(reading, ')', reading.isFed || char === '>');
    } else if (ENDS_WORD.has(char)) break;
    else if (char === "'") readSingleQuoted(reading, word);
    else if (char === '{' && next === '}') literal(reading, word, reading.at + 2);
    else if (char === '{') unknown(reading, word, 1);
    else {
      if ('*?'.includes(char) || (char === '[' && !/[ \t\n]/.test(next))) word.isKnown = false;
      literal(reading, word);
    }
  }
  if (isQuoted) stop(reading, 'an unclosed quote');
  if (reading.at === start) stop(reading, `"${source[start] ?? 'an end'}" in this position`);
  return word.isKnown
    ? { text: word.known, prefix: word.known }
    : { text: undefined, prefix: word.known, glob: word.glob };
}

function literal(reading: Reading, word: Word, end = reading.at + 1): void {
  const text = reading.source.slice(reading.at, end);
  if (word.isKnown) word.known += text;
  if (word.glob !== undefined) word.glob += text;
  reading.at = end;
}

function unknown(reading: Reading, word: Word, length: number): void {
  word.isKnown = false;
  word.glob = undefined;
  reading.at += length;
}

function readEscape(reading: Reading, word: Word, next: string): void {
  reading.at += 1;
  if (next === '') stop(reading, 'a backslash at the end');
  else if (next === '\n') stop(reading, 'a line continuation within a word');
  else literal(reading, word);
}

function readSingleQuoted(reading: Reading, word: Word): void {
  const end = reading.source.indexOf("'", reading.at + 1);
  if (end === -1) return stop(reading, 'an unclosed quote');
  reading.at += 1;
  literal(reading, word, end);
  reading.at += 1;
}

/**
 * An expansion that only reads a variable: its value, its length, another text in its place, or its value without an end of it. Others may run commands:
 * they evaluate arithmetic (`${x:y}`, `${x[y]}`), or a value (`${x@P}`, `${!x}`), or are commands (`${ x; }`).
 */
const EXPANSION =
  /\$(?:[A-Za-z_]\w*|[\d@*#?$!-]|\{(?:#?(?:[A-Za-z_]\w*|\d+)|(?:[A-Za-z_]\w*|\d+)(?::?[-+]|##?|%%?)[\w ./,:*?%=+-]*)\})/y;

/** Reads `$…` or a substitution in backticks. The commands in it are added to those of the script. */
function readExpansion(reading: Reading, word: Word, isQuoted: boolean): void {
  const { source, at } = reading;
  const next = source[at + 1] ?? '';
  // What ends it is found before quotes, escapes and comments within it are read.
  if (source[at] === '`') stop(reading, 'a substitution in backticks');
  else if (take(reading, EXPANSION) !== null) unknown(reading, word, 0);
  else if (next === '(') {
    unknown(reading, word, 2);
    if (source[at + 2] === '(') stop(reading, 'arithmetic');
    reading.readNested(reading, ')', reading.isFed);
  } else if (next === '{') stop(reading, 'an expansion with parts');
  else if (next === '[') stop(reading, 'arithmetic');
  else if (next === "'" || (next === '"' && !isQuoted)) stop(reading, 'a quote after a dollar sign');
  else return literal(reading, word);
  // Without quotes, and in lists, what it becomes is split into words, of which only the first begins as this one does.
  if (!isQuoted || (reading.unclear === undefined && source.slice(at, reading.at).includes('@'))) word.known = '';
}
