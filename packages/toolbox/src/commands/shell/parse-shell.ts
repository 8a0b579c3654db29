import { readWord, type Reading } from './read-word.ts';
import type { Redirection, ShellScript, ShellWord } from './types.ts';

const MAX_LENGTH = 100_000;
const MAX_DEPTH = 20;

/** Words that begin what is more than a list of commands. */
const KEYWORDS = new Set(
  'if then else elif fi for while until do done case esac select function coproc [[ time'.split(' '),
);

/**
 * Lists the commands of a script for sh or bash. Understands lists, pipes, groups, quotes, substitutions and redirections to files; says of anything else
 * (loops, functions, here-documents, arithmetic) that it is unclear. Never throws, and takes linear time. `isFed` says that the script gets an input.
 *
 * Source: the POSIX shell grammar, and the manual of Bash for process substitution and `&>`.
 */
export function parseShell(source: string, isFed = false): ShellScript {
  const reading: Reading = { source, at: 0, commands: [], depth: 0, isFed, unclear: undefined, readNested };
  if (source.length > MAX_LENGTH) reading.unclear = 'a script of this length';
  else if (/[\0\r]/.test(source)) reading.unclear = 'a control character';
  else readList(reading, '');
  const { commands, unclear } = reading;
  return unclear === undefined ? { commands } : { commands, unclear };
}

function readList(reading: Reading, end: string): void {
  const isFed = reading.isFed;
  for (;;) {
    skipBlanks(reading);
    const { source, at } = reading;
    if (reading.unclear !== undefined) return;
    if (at >= source.length) {
      if (end !== '') reading.unclear = `a missing "${end}"`;
      return;
    }
    if (source[at] === end) {
      reading.at += 1;
      return;
    }
    const operator = /^(?:\|\||&&|\|&|;;|[|&;\n])/.exec(source.slice(at, at + 2))?.[0];
    if (operator === undefined) {
      readCommand(reading, end);
      reading.isFed = isFed;
      continue;
    }
    if (operator === ';;') reading.unclear = 'a case';
    if (operator === '|' || operator === '|&') reading.isFed = true;
    reading.at += operator.length;
  }
}

function readNested(reading: Reading, end: string): void {
  if (reading.depth >= MAX_DEPTH) {
    reading.unclear ??= 'deep nesting';
    return;
  }
  const inner: Reading = { ...reading, depth: reading.depth + 1 };
  readList(inner, end);
  reading.at = inner.at;
  reading.unclear ??= inner.unclear;
}

function readCommand(reading: Reading, end: string): void {
  const words: ShellWord[] = [];
  const assignments: ShellWord[] = [];
  const redirections: Redirection[] = [];
  const { source } = reading;
  const first = reading.commands.length;
  let { isFed } = reading;
  let hasGroup = false;
  let hasBoth = false;
  while (reading.unclear === undefined) {
    skipBlanks(reading);
    const char = source[reading.at];
    // A `}` that follows a word is an ordinary word.
    if (char === undefined || (char === end && (char !== '}' || words.length === 0)) || '\n;|'.includes(char)) break;
    if (char === '&' && source[reading.at + 1] !== '>') break;
    // A plain sh takes `a &> b c` for `a &` and `c > b`.
    hasBoth ||= char === '&';
    const start = reading.at;
    if (readRedirection(reading, redirections)) {
      isFed ||= source.slice(start, reading.at).includes('<');
      // What follows a group is the input of all that is in it.
      if (hasGroup && isFed) for (const command of reading.commands.slice(first)) command.isFed = true;
      continue;
    }
    if (char === '(' || (char === '{' && words.length === 0 && /[ \t\n]/.test(source[reading.at + 1] ?? ''))) {
      if (words.length > 0 || assignments.length > 0) reading.unclear = 'a function or an array';
      else if (source.startsWith('((', reading.at)) reading.unclear = 'arithmetic';
      else {
        hasGroup = true;
        reading.at += 1;
        readNested(reading, char === '(' ? ')' : '}');
      }
      continue;
    }
    if (char === ')' || char === '}') {
      reading.unclear = `a "${char}" too many`;
      continue;
    }
    if (hasGroup) reading.unclear = 'a word after a group';
    if (hasBoth) reading.unclear = 'a word after "&>"';
    const word = readWord(reading);
    if (words.length === 0) {
      // Quotes make an ordinary word of an assignment, a keyword and a `!`.
      ASSIGNMENT.lastIndex = start;
      if (ASSIGNMENT.test(source)) {
        assignments.push(word);
        continue;
      }
      if (reading.at === start + 1 && char === '!') continue;
      if (word.text !== undefined && KEYWORDS.has(word.text)) reading.unclear = `"${word.text}"`;
    }
    words.push(word);
  }
  if (words.length > 0 || assignments.length > 0 || redirections.length > 0)
    reading.commands.push({ words, assignments, redirections, isFed });
}

const ASSIGNMENT = /[A-Za-z_]\w*\+?=/y;
const REDIRECTION = /^(\d*|\{\w+\})(&>>|&>|<<<|<<-|<<|<>|<&|>&|>>|>\||<|>)/;

function readRedirection(reading: Reading, redirections: Redirection[]): boolean {
  const { source, at } = reading;
  const found = REDIRECTION.exec(source.slice(at, at + 24));
  const [, descriptor = '', operator] = found ?? [];
  if (found === null || operator === undefined) return false;
  // A plain sh takes these for words.
  if (descriptor.length > 1) reading.unclear = `the descriptor "${descriptor}"`;
  // `<(…)` and `>(…)` are words.
  if (/^[<>]$/.test(operator) && source[at + found[0].length] === '(') return false;
  reading.at += found[0].length;
  if (operator === '<<' || operator === '<<-') {
    reading.unclear = 'a here-document';
    return true;
  }
  if (operator === '>&' || operator === '<&') {
    const copied = /^[ \t]*(?:\d+-?|-)(?![^ \t\n;&|<>()])/.exec(source.slice(reading.at, reading.at + 24))?.[0];
    if (copied === undefined) reading.unclear = 'a copy of something that is no descriptor';
    else reading.at += copied.length;
    return true;
  }
  skipBlanks(reading);
  const target = readWord(reading);
  if (operator === '<<<' || target.text === '/dev/null') return true;
  if (mayBeConnection(target)) reading.unclear = 'a redirection that may be a connection';
  if (operator === '<>') redirections.push({ access: 'read', target });
  redirections.push({ access: operator === '<' ? 'read' : 'write', target });
  return true;
}

/** Whether bash may open a connection, as it does for `/dev/tcp/HOST/PORT`. */
function mayBeConnection({ text, prefix }: ShellWord): boolean {
  return (
    /^\/dev\/(?:tcp|udp)\//.test(prefix) ||
    (text === undefined && ('/dev/'.startsWith(prefix) || prefix.startsWith('/dev/')))
  );
}

/** Skips spaces, comments, and line continuations that stand between words. Any other one may join characters that mean more together. */
function skipBlanks(reading: Reading): void {
  const { source } = reading;
  for (;;) {
    const char = source[reading.at];
    if (char === ' ' || char === '\t') reading.at += 1;
    else if (/^[ \t\n]\\\n/.test(source.slice(reading.at - 1, reading.at + 2))) reading.at += 2;
    else if (char === '#') {
      const end = source.indexOf('\n', reading.at);
      reading.at = end === -1 ? source.length : end;
    } else return;
  }
}
