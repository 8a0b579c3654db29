import { readWord, type Reading, stop, take } from './read-word.ts';
import type { Redirection, ShellScript, ShellWord } from './types.ts';

const MAX_LENGTH = 100_000;
const MAX_DEPTH = 20;

/** Words that begin what is more than a list of commands. */
const KEYWORDS = new Set(
  'if then else elif fi for while until do done case esac select function coproc [[ time'.split(' '),
);
const OPERATOR = /\|\||&&|\|&|;;|[|&;\n]/y;
const ASSIGNMENT = /[A-Za-z_]\w*\+?=/y;
/** Spaces, comments, and line continuations between words. Elsewhere a continuation may join characters. */
const BLANKS = /(?:[ \t]|(?<=[ \t\n])\\\n|#[^\n]*)*/y;
/** A plain sh takes these for words. */
const DESCRIPTOR = /(?:\d{2,}|\{\w+\})(?=[<>]|&>)/y;
/** `<(…)` and `>(…)` are words. */
const REDIRECTION = /\d?(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||[<>](?!\())/y;
const COPY = /[ \t]*(?:\d+-?|-)(?![^ \t\n;&|<>()])/y;

/**
 * Lists the commands of a script for sh or bash. Understands lists, pipes, groups, quotes, substitutions and redirections to files; says of anything else
 * (loops, functions, here-documents, arithmetic) that it is unclear. Never throws, and takes linear time. `isFed` says that the script gets an input.
 *
 * Source: the POSIX shell grammar, and the manual of Bash for process substitution and `&>`.
 */
export function parseShell(source: string, isFed = false): ShellScript {
  const reading: Reading = { source, at: 0, commands: [], depth: 0, isFed, unclear: undefined, readNested };
  if (source.length > MAX_LENGTH) stop(reading, 'a script of this length');
  else if (/[\0\r]/.test(source)) stop(reading, 'a control character');
  readList(reading, '');
  const { commands, unclear } = reading;
  return unclear === undefined ? { commands } : { commands, unclear };
}

function readList(reading: Reading, end: string): void {
  const { isFed, source } = reading;
  for (;;) {
    take(reading, BLANKS);
    const char = source[reading.at];
    if (char === undefined && end !== '') stop(reading, `a missing "${end}"`);
    if (char === undefined) return;
    if (char === end) {
      reading.at += 1;
      return;
    }
    const operator = take(reading, OPERATOR)?.[0];
    if (operator === undefined) {
      readCommand(reading, end);
      reading.isFed = isFed;
    } else if (operator === ';;') stop(reading, 'a case');
    else reading.isFed ||= operator === '|' || operator === '|&';
  }
}

function readNested(reading: Reading, end: string, isFed: boolean): void {
  if (reading.depth >= MAX_DEPTH) return stop(reading, 'deep nesting');
  const { depth, isFed: wasFed } = reading;
  Object.assign(reading, { depth: depth + 1, isFed });
  readList(reading, end);
  Object.assign(reading, { depth, isFed: wasFed });
}

function readCommand(reading: Reading, end: string): void {
  const words: ShellWord[] = [];
  const assignments: ShellWord[] = [];
  const redirections: Redirection[] = [];
  const { commands, source } = reading;
  const first = commands.length;
  let { isFed } = reading;
  let hasGroup = false;
  let hasBoth = false;
  for (;;) {
    take(reading, BLANKS);
    const { at: start } = reading;
    const char = source[start];
    // A `}` that follows a word is an ordinary word.
    if (char === undefined || (char === end && (char !== '}' || words.length === 0)) || '\n;|'.includes(char)) break;
    if (char === '&' && source[start + 1] !== '>') break;
    // A plain sh takes `a &> b c` for `a &` and `c > b`.
    hasBoth ||= char === '&';
    const operator = readRedirection(reading, redirections);
    if (operator !== undefined) {
      isFed ||= operator.includes('<');
      // What follows a group is the input of all that is in it.
      if (hasGroup && isFed) for (const command of commands.slice(first)) command.isFed = true;
    } else if (char === '(' || (char === '{' && words.length === 0 && /[ \t\n]/.test(source[start + 1] ?? ''))) {
      if (words.length > 0 || assignments.length > 0) stop(reading, 'a function or an array');
      if (source.startsWith('((', start)) stop(reading, 'arithmetic');
      hasGroup = true;
      reading.at += 1;
      readNested(reading, char === '(' ? ')' : '}', reading.isFed);
    } else if (char === ')' || char === '}') stop(reading, `a "${char}" too many`);
    else {
      if (hasGroup || hasBoth) stop(reading, `a word after ${hasBoth ? '"&>"' : 'a group'}`);
      // Quotes make an ordinary word of an assignment, a keyword and a `!`.
      ASSIGNMENT.lastIndex = start;
      const isAssignment = words.length === 0 && ASSIGNMENT.test(source);
      const word = readWord(reading);
      const isPlain = words.length === 0 && word.text !== undefined;
      if (isPlain && char === '!' && reading.at === start + 1) continue;
      if (isPlain && !isAssignment && KEYWORDS.has(word.text)) stop(reading, `"${word.text}"`);
      (isAssignment ? assignments : words).push(word);
    }
  }
  if (words.length > 0 || assignments.length > 0 || redirections.length > 0)
    commands.push({ words, assignments, redirections, isFed });
}

/** Reads a redirection, and returns its operator; undefined if there is none. Those that open a file are added. */
function readRedirection(reading: Reading, redirections: Redirection[]): string | undefined {
  const descriptor = take(reading, DESCRIPTOR)?.[0];
  if (descriptor !== undefined) stop(reading, `the descriptor "${descriptor}"`);
  const operator = descriptor === undefined ? take(reading, REDIRECTION)?.[1] : '';
  if (operator === undefined || operator === '') return operator;
  if (operator === '<<' || operator === '<<-') stop(reading, 'a here-document');
  else if (operator === '>&' || operator === '<&') {
    if (take(reading, COPY) === null) stop(reading, 'a copy of something that is no descriptor');
  } else {
    take(reading, BLANKS);
    const target = readWord(reading);
    if (operator === '<<<' || target.text === '/dev/null') return operator;
    if (mayBeConnection(target)) stop(reading, 'a redirection that may be a connection');
    if (operator === '<>') redirections.push({ access: 'read', target });
    redirections.push({ access: operator === '<' ? 'read' : 'write', target });
  }
  return operator;
}

/** Whether bash may open a connection, as it does for `/dev/tcp/HOST/PORT`. */
function mayBeConnection({ text, prefix }: ShellWord): boolean {
  return (
    /^\/dev\/(?:tcp|udp)\//.test(prefix) ||
    (text === undefined && ('/dev/'.startsWith(prefix) || prefix.startsWith('/dev/')))
  );
}
