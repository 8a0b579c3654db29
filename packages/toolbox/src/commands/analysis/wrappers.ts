import type { ShellWord } from '../shell/types.ts';
import { programName } from './safe-programs.ts';

interface Wrapped {
  readonly command: readonly ShellWord[];
  readonly variables: readonly ShellWord[];
}

/** The options and variables of a program that does nothing but run another one, each word with a NUL behind it; of `timeout`, the time follows. */
const WRAPPERS: Readonly<Record<string, RegExp>> = {
  // An option that removes variables also removes those that keep Git from running what a repository names.
  env: /^(?:[A-Za-z_]\w*=[^\0]*\0)*/,
  nice: /^(?:(?:-n?-?\d+|--adjustment=-?\d+|-n\0[^\0]+)\0)*(?:--\0)?/,
  nohup: /^(?:--\0)?/,
  timeout:
    /^(?:(?:--foreground|--preserve-status|-v|--verbose|(?:--kill-after|--signal)[=\0]\w+|-[ks]\0?\w+)\0)*(?:--\0)?/,
  setsid: /^(?:(?:-[cfw]+|--(?:ctty|fork|wait))\0)*(?:--\0)?/,
  stdbuf: /^(?:(?:-[ioe]\0?[L\d]\w*|--(?:input|output|error)=\w+)\0)*(?:--\0)?/,
  command: /^(?:--\0)?/,
  exec: /^(?:-l\0)*(?:--\0)?/,
};
/** A word that only a shell knows. */
const UNKNOWN = '\x01';

/**
 * Returns what a program runs that does nothing else: `env`, `nice`, `nohup`, `timeout`, `setsid`, `stdbuf`, `command`,
 * `exec`. Undefined for any other program, and for options that are not known here: then nothing is said about it.
 */
export function unwrapCommand(name: string, words: readonly ShellWord[]): Wrapped | undefined {
  const own = Object.hasOwn(WRAPPERS, name) ? WRAPPERS[name] : undefined;
  const texts = words.map(({ text = UNKNOWN }) => text);
  const options = own
    ?.exec(texts.map((text) => `${text}\0`).join(''))?.[0]
    .split('\0')
    .slice(0, -1);
  if (options === undefined || texts[options.length]?.startsWith('-') !== false) return undefined;
  const [first, ...rest] = words.slice(options.length + (name === 'timeout' ? 1 : 0));
  if (first?.text?.startsWith('-') !== false) return undefined;
  const variables = name === 'env' ? words.slice(0, options.length) : [];
  return { command: [first, ...rest], variables };
}

interface ShellArguments {
  /** The script; several possible ones, one a line, where it is not clear which. */
  readonly text: string;
  readonly unclear?: string;
}

const PLAIN_SHELLS = /^(?:ba|da|a)?sh$/;
/** Shells with a language that resembles it. */
const OTHER_SHELLS = /^(?:zsh|[mo]?ksh\d*|pdksh|rbash|yash|fish|csh|tcsh)$/;

/** Returns the script that a shell gets as an argument; undefined for other programs, and for a shell that gets none. */
export function readShellArguments(name: string, words: readonly ShellWord[]): ShellArguments | undefined {
  if (!isShell(name)) return undefined;
  const isPlainShell = PLAIN_SHELLS.test(name);
  const [options, script] = words;
  const isPlain = /^-[elux]*c[elux]*$/.test(options?.text ?? '') && /^[^+-]|^$/.test(script?.text ?? '-');
  if (isPlain && isPlainShell) return { text: script?.text ?? '' };
  if (!words.some(({ text, prefix }) => /^-[^-]*c/.test(text ?? prefix))) return undefined;
  const texts = words.map(({ text }) => text).filter((text) => text !== undefined && !/^[-+]\w*$/.test(text));
  return { text: texts.join('\n'), unclear: isPlainShell ? 'a shell with these arguments' : `the language of ${name}` };
}

function isShell(name: string): boolean {
  return PLAIN_SHELLS.test(name) || OTHER_SHELLS.test(name);
}

/** More programs whose words, files or input are commands, wherever they stand among the words of another program. */
const LIKE_SHELLS = /^(?:busybox|toybox|nu|elvish|xonsh|cmd|powershell|pwsh|wsl|xargs|parallel|env|sudo|doas)$/;
/** Programs that run commands, but have the names of other things as well. */
const RUNNERS = new RegExp(
  `^(?:${[
    'eval|source|\\.|exec|trap|alias|hash|enable|builtin|complete|compgen|mapfile|readarray|fc|bind|ssh|su|run0|runuser|pkexec|chroot|nsenter|unshare|setpriv|bwrap|proot|[cw]script|mshta|forfiles|start',
    'script|expect|watch|at|batch|crontab|screen|tmux|entr|systemd-run|docker|podman|nerdctl|kubectl|strace|ltrace|gdb|lldb',
    '[gmn]?awk|ed|ex|g?sed|vim?|nvim|view|emacs|m4|dbus-send|osascript|sqlite3|psql|mysql|jshell',
  ].join('|')})$`,
);
/** Languages, whose programs usually are files. */
const LANGUAGES =
  /^(?:python|pypy|node|nodejs|deno|bun|tsx|ts-node|perl|ruby|irb|php|lua|luajit|tcl|tclsh|wish|guile|racket|rscript|julia|groovy|scala|ghci|runghc|elixir|erl|escript|java)[\d.]*$/;
/** An option that takes a command, and what a shell would replace in a word. */
const TAKES_CODE = /^(?:-[a-z]*c|-e|--?(?:eval|exec|command|encodedcommand)|\/[ck])$/i;
const REPLACED = /[$`\\^]/;
const MAX_INTERPRETERS = 20;

/**
 * Says whether a program hands words, files or its input to an interpreter, as a phrase: what it runs then cannot be
 * told from its words. Undefined where it does not, and where its words are read, as those of `bash -c SCRIPT` are.
 */
export function handsOver(name: string, words: readonly ShellWord[]): string | undefined {
  const texts = words.map(({ text = '' }) => text);
  const inner = texts
    .map((text, index) => ({ text: programName(text), index }))
    .filter(({ text }) => isInterpreter(text));
  if (inner.length > MAX_INTERPRETERS) return `${inner.length} names of interpreters`;
  const behind = inner.map(({ text, index }) =>
    index === texts.length - 1 ? undefined : interprets(text, texts.slice(index + 1)),
  );
  return interprets(name, texts) ?? behind.find((each) => each !== undefined) ?? codeIn(name, texts);
}

function isInterpreter(name: string): boolean {
  return isShell(name) || LIKE_SHELLS.test(name) || LANGUAGES.test(name) || name === 'find';
}

function interprets(name: string, texts: readonly string[]): string | undefined {
  const [first = '', second = ''] = texts;
  if (name === 'find' || name === 'fd')
    return texts.some((text) => /^-(?:exec|ok|x)/i.test(text)) ? `${name} -exec` : undefined;
  // Lines that are printed, as most of its uses are.
  if (/^g?sed$/.test(name) && /^[\d,$]+p$/.test(texts.find((text) => !/^-[nE]*$/.test(text)) ?? '')) return undefined;
  if (isShell(name) || LIKE_SHELLS.test(name) || RUNNERS.test(name)) return name;
  if (!LANGUAGES.test(name)) return undefined;
  const isFile = /^(?:[\w@./][\w@./+-]*|--?v(?:ersion)?)$/i.test(first) || (first === '-m' && /^\w/.test(second));
  return isFile ? undefined : name;
}

function codeIn(name: string, texts: readonly string[]): string | undefined {
  const option = texts.find((text, index) => TAKES_CODE.test(text) && /[^\w@./+:=-]/.test(texts[index + 1] ?? ''));
  if (option !== undefined) return `${name} ${option}`;
  return texts.some((text) => REPLACED.test(text)) ? `${name} with characters that a shell replaces` : undefined;
}
