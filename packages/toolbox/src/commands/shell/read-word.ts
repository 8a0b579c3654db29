import type { ShellWord, SimpleCommand } from './types.ts';

export interface Reading {
  readonly source: string;
  at: number;
  readonly commands: SimpleCommand[];
  readonly depth: number;
  /** Whether the commands that are read next get the output of another one. */
  isFed: boolean;
  /** The first thing that was not understood; nothing is read after it. */
  unclear: string | undefined;
  readonly readNested: (reading: Reading, end: string) => void;
}

const ENDS_WORD = new Set([' ', '\t', '\n', ';', '|', '&', '<', '>', '(', ')']);

/** Reads one word with its quotes. Its text is undefined from the first piece on that only a shell can tell. */
export function readWord(reading: Reading): ShellWord {
  const word: Word = { known: '', isKnown: true, glob: '' };
  const { source } = reading;
  if (source[reading.at] === '~') unknown(reading, word, 1);
  const start = reading.at;
  while (reading.unclear === undefined) {
    const char = source[reading.at];
    if ((char === '<' || char === '>') && source[reading.at + 1] === '(') {
      unknown(reading, word, 2);
      const { isFed } = reading;
      reading.isFed ||= char === '>';
      reading.readNested(reading, ')');
      reading.isFed = isFed;
      continue;
    }
    if (char === undefined || ENDS_WORD.has(char)) break;
    if (char === "'") readSingleQuoted(reading, word);
    else if (char === '"') readDoubleQuoted(reading, word);
    else if (char === '\\') readEscape(reading, word);
    else if (char === '$' || char === '`') readExpansion(reading, word, false);
    else if (source.startsWith('{}', reading.at)) literal(reading, word, '{}');
    else if (char === '[' && /[ \t\n]/.test(source[reading.at + 1] ?? '')) literal(reading, word, '[');
    else if ('*?['.includes(char)) wildcard(reading, word, char);
    else if (char === '{') unknown(reading, word, 1);
    else literal(reading, word, char);
  }
  if (reading.at === start && word.isKnown && reading.unclear === undefined) {
    reading.unclear = `"${source[start] ?? 'an end'}" in this position`;
    reading.at += 1;
  }
  return word.isKnown
    ? { text: word.known, prefix: word.known }
    : { text: undefined, prefix: word.known, glob: word.glob };
}

interface Word {
  known: string;
  isKnown: boolean;
  /** All of it, as long as nothing but wildcards is unknown. */
  glob: string | undefined;
}

function literal(reading: Reading, word: Word, text: string): void {
  add(word, text);
  reading.at += text.length;
}

function wildcard(reading: Reading, word: Word, char: string): void {
  word.isKnown = false;
  literal(reading, word, char);
}

function unknown(reading: Reading, word: Word, length: number): void {
  word.isKnown = false;
  word.glob = undefined;
  reading.at += length;
}

function add(word: Word, text: string): void {
  if (word.isKnown) word.known += text;
  if (word.glob !== undefined) word.glob += text;
}

function readEscape(reading: Reading, word: Word): void {
  const next = reading.source[reading.at + 1];
  reading.at += 1;
  if (next === undefined) reading.unclear = 'a backslash at the end';
  else if (next === '\n') reading.unclear = 'a line continuation within a word';
  else literal(reading, word, next);
}

function readSingleQuoted(reading: Reading, word: Word): void {
  const end = reading.source.indexOf("'", reading.at + 1);
  if (end === -1) {
    reading.unclear = 'an unclosed quote';
    return;
  }
  const text = reading.source.slice(reading.at + 1, end);
  add(word, text);
  reading.at = end + 1;
}

function readDoubleQuoted(reading: Reading, word: Word): void {
  const { source } = reading;
  reading.at += 1;
  while (reading.unclear === undefined) {
    const char = source[reading.at];
    if (char === undefined) {
      reading.unclear = 'an unclosed quote';
    } else if (char === '"') {
      reading.at += 1;
      return;
    } else if (char === '\\' && '$`"\\\n'.includes(source[reading.at + 1] ?? ' ')) readEscape(reading, word);
    else if (char === '$' || char === '`') readExpansion(reading, word, true);
    else literal(reading, word, char);
  }
}

/**
 * An expansion that only reads a variable: its value, its length, another text in its place, or its value without an end of it. Others may run commands:
 * they evaluate arithmetic (`${x:y}`, `${x[y]}`), or a value (`${x@P}`, `${!x}`), or are commands (`${ x; }`).
 */
const PLAIN_EXPANSION = /\$\{(?:#?(?:[A-Za-z_]\w*|\d+)|(?:[A-Za-z_]\w*|\d+)(?::?[-+]|##?|%%?)[\w ./,:*?%=+-]*)\}/y;

/** Reads `$…` or a substitution in backticks. The commands in it are added to those of the script. */
function readExpansion(reading: Reading, word: Word, isQuoted: boolean): void {
  const { source, at } = reading;
  const next = source[at + 1] ?? '';
  if (source[at] === '`') {
    // What ends it is found before quotes, escapes and comments within it are read.
    reading.unclear = 'a substitution in backticks';
  } else if (next === '(') {
    if (source[at + 2] === '(') reading.unclear = 'arithmetic';
    unknown(reading, word, 2);
    if (reading.unclear === undefined) reading.readNested(reading, ')');
  } else if (next === '{') {
    PLAIN_EXPANSION.lastIndex = at;
    const expansion = PLAIN_EXPANSION.exec(source)?.[0];
    if (expansion === undefined) reading.unclear = 'an expansion with parts';
    else unknown(reading, word, expansion.length);
  } else if (/[A-Za-z_0-9@*#?$!-]/.test(next)) {
    unknown(reading, word, 1 + (/^(?:[A-Za-z_]\w*|.)/.exec(source.slice(at + 1))?.[0].length ?? 1));
  } else if (next === '[') {
    reading.unclear = 'arithmetic';
  } else if (next === "'" || (next === '"' && !isQuoted)) {
    reading.unclear = 'a quote after a dollar sign';
  } else return literal(reading, word, '$');
  // Without quotes, and in lists, what it becomes is split into words, of which only the first begins as this one does.
  if (!isQuoted || source.slice(at, reading.at).includes('@')) word.known = '';
}
