import type { ShellWord } from '../shell/types.ts';
import { programName } from './safe-programs.ts';

interface Wrapped {
  readonly command: readonly ShellWord[];
  readonly variables?: readonly ShellWord[];
}

/**
 * Returns what a program runs that does nothing else: `env`, `nice`, `nohup`, `timeout`, `setsid`, `stdbuf`, `command`,
 * `exec`. Undefined for any other program, and for options that are not known here: then nothing is said about it.
 */
export function unwrapCommand(name: string, words: readonly ShellWord[]): Wrapped | undefined {
  if (name === 'env') return unwrapEnv(words);
  const options = OPTIONS[name];
  if (options === undefined) return undefined;
  const start = skipOptions(words, options);
  const command = start === undefined ? [] : words.slice(start + (options.operands ?? 0));
  return command.length === 0 ? undefined : { command };
}

interface Options {
  /** Options without a value, and with one in the same word. */
  readonly alone: RegExp;
  /** Options whose value is the next word. */
  readonly withValue?: RegExp;
  /** How many words stand between the options and the command. */
  readonly operands?: number;
}

const OPTIONS: Readonly<Record<string, Options>> = {
  nice: { alone: /^(?:-n?-?\d+|--adjustment=-?\d+)$/, withValue: /^-n$/ },
  nohup: { alone: /^(?!)/ },
  timeout: {
    alone: /^(?:--foreground|--preserve-status|-v|--verbose|(?:--kill-after|--signal)=\w+|-[ks]\w+)$/,
    withValue: /^(?:-k|-s|--kill-after|--signal)$/,
    operands: 1,
  },
  setsid: { alone: /^(?:-[cfw]+|--(?:ctty|fork|wait))$/ },
  stdbuf: { alone: /^(?:-[ioe][L\d]\w*|--(?:input|output|error)=\w+)$/, withValue: /^-[ioe]$/ },
  command: { alone: /^-p$/ },
  exec: { alone: /^-[cl]+$/ },
};

function skipOptions(words: readonly ShellWord[], { alone, withValue }: Options): number | undefined {
  for (let index = 0; index < words.length; index += 1) {
    const text = words[index]?.text;
    if (text === undefined) return undefined;
    if (text === '--') return index + 1;
    if (!text.startsWith('-')) return index;
    if (withValue?.test(text) === true) index += 1;
    else if (!alone.test(text)) return undefined;
  }
  return undefined;
}

function unwrapEnv(words: readonly ShellWord[]): Wrapped | undefined {
  const variables: ShellWord[] = [];
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index];
    const text = word?.text;
    if (word === undefined || text === undefined) return undefined;
    if (/^[A-Za-z_]\w*=/.test(text)) variables.push(word);
    else if (text === '-u' || text === '--unset') index += 1;
    else if (/^(?:-i|-|--ignore-environment|--unset=\w+)$/.test(text)) continue;
    else if (text.startsWith('-')) return undefined;
    else return { command: words.slice(index), variables };
  }
  return undefined;
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
  const isPlainShell = PLAIN_SHELLS.test(name);
  if (!isPlainShell && !OTHER_SHELLS.test(name)) return undefined;
  const [options, script] = words;
  const isPlain = /^-[elux]*c[elux]*$/.test(options?.text ?? '') && /^[^+-]|^$/.test(script?.text ?? '-');
  if (isPlain && isPlainShell) return { text: script?.text ?? '' };
  if (!words.some(({ text, prefix }) => /^-[^-]*c/.test(text ?? prefix))) return undefined;
  const texts = words.map(({ text }) => text).filter((text) => text !== undefined && !/^[-+]\w*$/.test(text));
  return { text: texts.join('\n'), unclear: isPlainShell ? 'a shell with these arguments' : `the language of ${name}` };
}

/** Programs whose words, files or input are commands, wherever they stand among the words of another program. */
const SHELLS =
  /^(?:(?:ba|da|a|z|mk|ok|pdk|k|rba|ya|fi|c|tc)?sh|busybox|toybox|nu|elvish|xonsh|cmd|powershell|pwsh|wsl|xargs|parallel|env|sudo|doas)$/;
/** Programs that run commands, but have the names of other things as well. */
const RUNNERS = new RegExp(
  `^(?:${[
    'eval|source|\\.|exec|trap|alias|ssh|su|run0|runuser|pkexec|chroot|nsenter|unshare|setpriv|bwrap|proot|[cw]script|mshta|forfiles|start',
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
  return SHELLS.test(name) || LANGUAGES.test(name) || name === 'find';
}

function interprets(name: string, texts: readonly string[]): string | undefined {
  const [first = '', second = ''] = texts;
  if (name === 'find' || name === 'fd')
    return texts.some((text) => /^-(?:exec|ok|x)/i.test(text)) ? `${name} -exec` : undefined;
  // Lines that are printed, as most of its uses are.
  if (/^g?sed$/.test(name) && /^[\d,$]+p$/.test(texts.find((text) => !/^-[nE]*$/.test(text)) ?? '')) return undefined;
  if (SHELLS.test(name) || RUNNERS.test(name)) return name;
  if (!LANGUAGES.test(name)) return undefined;
  const isFile = /^(?:[\w@./][\w@./+-]*|--?v(?:ersion)?)$/i.test(first) || (first === '-m' && /^\w/.test(second));
  return isFile ? undefined : name;
}

function codeIn(name: string, texts: readonly string[]): string | undefined {
  const option = texts.find((text, index) => TAKES_CODE.test(text) && /[^\w@./+:=-]/.test(texts[index + 1] ?? ''));
  if (option !== undefined) return `${name} ${option}`;
  return texts.some((text) => REPLACED.test(text)) ? `${name} with characters that a shell replaces` : undefined;
}
