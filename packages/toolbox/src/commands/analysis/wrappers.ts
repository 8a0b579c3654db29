import type { ShellWord } from '../shell/types.ts';

interface Wrapped {
  readonly commands: readonly (readonly ShellWord[])[];
  readonly variables?: readonly ShellWord[];
  /** Whether it does nothing else, so that only the commands are to be decided on. */
  readonly isTransparent: boolean;
}

/** An argument that is not known before the command runs. */
const ANY: ShellWord = { text: undefined, prefix: '' };

/**
 * Returns what a wrapper runs: `env`, `nice`, `nohup`, `timeout`, `setsid`, `stdbuf`, `command`, `exec`, `xargs`, `find`. Undefined for any other
 * program, and for options that are not known here: then nothing is said about what it runs.
 */
export function unwrapCommand(name: string, words: readonly ShellWord[]): Wrapped | undefined {
  if (name === 'find') return unwrapFind(words);
  if (name === 'xargs') return unwrapXargs(words);
  if (name === 'env') return unwrapEnv(words);
  const options = OPTIONS[name];
  if (options === undefined) return undefined;
  const start = skipOptions(words, options);
  const inner = start === undefined ? [] : words.slice(start + (options.operands ?? 0));
  return inner.length === 0 ? undefined : { commands: [inner], isTransparent: true };
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
    else return { commands: [words.slice(index)], variables, isTransparent: true };
  }
  return undefined;
}

function unwrapXargs(words: readonly ShellWord[]): Wrapped | undefined {
  const start = skipOptions(words, {
    alone: /^(?:-[0rtx]+|-[nPLIsd]\S+|--(?:null|no-run-if-empty|verbose|exit)|--(?:max-args|max-procs|delimiter)=.+)$/,
    withValue: /^(?:-[nPLIsd]|--max-args|--max-procs)$/,
  });
  if (start === undefined) return undefined;
  return { commands: [[...words.slice(start), ANY]], isTransparent: false };
}

function unwrapFind(words: readonly ShellWord[]): Wrapped | undefined {
  const commands: ShellWord[][] = [];
  let inner: ShellWord[] | undefined;
  for (const [index, word] of words.entries()) {
    const text = word.text ?? '';
    if (inner === undefined) {
      if (!/^-(?:exec|ok)(?:dir)?$/.test(text)) continue;
      inner = [];
      commands.push(inner);
    } else if (text === ';' || (text === '+' && words[index - 1]?.text === '{}')) inner = undefined;
    else inner.push(text.includes('{}') ? ANY : word);
  }
  return commands.length === 0 ? undefined : { commands, isTransparent: false };
}

interface ShellArguments {
  /** The script; several possible ones, one a line, where it is not clear which. */
  readonly text: string;
  readonly unclear?: string;
}

const PLAIN_SHELLS = new Set(['sh', 'bash', 'dash', 'ash']);
/** Shells with a language of their own that resembles it. */
const OTHER_SHELLS = new Set(['zsh', 'ksh', 'mksh', 'rbash', 'fish', 'csh', 'tcsh']);

export function readShellArguments(name: string, words: readonly ShellWord[]): ShellArguments | undefined {
  const isPlainShell = PLAIN_SHELLS.has(name);
  if (!isPlainShell && !OTHER_SHELLS.has(name)) return undefined;
  const [options, script] = words;
  const isPlain = /^-[elux]*c[elux]*$/.test(options?.text ?? '') && /^[^+-]|^$/.test(script?.text ?? '-');
  if (isPlain && isPlainShell) return { text: script?.text ?? '' };
  if (!words.some(({ text, prefix }) => /^-[^-]*c/.test(text ?? prefix))) return undefined;
  const texts = words.map(({ text }) => text).filter((text) => text !== undefined && !/^[-+]\w*$/.test(text));
  return { text: texts.join('\n'), unclear: isPlainShell ? 'a shell with these arguments' : `the language of ${name}` };
}
