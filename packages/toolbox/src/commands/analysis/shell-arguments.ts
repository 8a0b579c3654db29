import type { ShellWord } from '../shell/types.ts';

export interface ShellArguments {
  /** The script; several possible ones, one a line, where it is not clear which. */
  readonly text: string;
  readonly unclear?: string;
}

const PLAIN_SHELLS = new Set(['sh', 'bash', 'dash', 'ash']);
/** Shells with a language of their own that resembles it. */
const OTHER_SHELLS = new Set(['zsh', 'ksh', 'mksh', 'rbash', 'fish', 'csh', 'tcsh']);

/** Returns the script that is among the arguments of a shell: `bash -c SCRIPT`. Undefined if it is given none, or is no shell. */
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
