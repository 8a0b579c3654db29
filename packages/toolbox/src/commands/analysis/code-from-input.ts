import type { ShellWord } from '../shell/types.ts';
import { usualName } from './unsafe-arguments.ts';

/** How an interpreter is told where its code is. */
interface Interpreter {
  /** Options without a value, or with one in the same word. */
  readonly flags: RegExp;
  /** Options that hold the code or name it. */
  readonly code: RegExp;
}

const NONE = /^(?!)/;
const SHELL: Interpreter = { flags: NONE, code: /^-\w*c/ };

/** Programs that run what they read where no file is named. */
const INTERPRETERS: Readonly<Record<string, Interpreter>> = {
  python: { flags: /^-[bBdEhIOPqsSuvV3]+$/, code: /^-[A-Za-z]*[cm]/ },
  node: {
    flags:
      /^--(?:(?:no|experimental|enable|expose|pending|throw|preserve|harmony|allow)-[\w-]+|trace-(?!event)[\w-]+|watch|check|[\w-]+=.*)$|^-c$/s,
    code: /^-[pe]|^--(?:eval|print|run)\b/,
  },
  perl: { flags: /^-[wWtTXnpalsucv0]+$/, code: /^-[A-Za-z]*[eE]/ },
  ruby: { flags: /^-[wWvlnpacs0]+$/, code: /^-[a-z]*e/ },
  php: { flags: /^-[nqlswHivm]+$/, code: /^-[rRBF]/ },
  lua: { flags: /^-[vWE]$/, code: /^-e/ },
  julia: { flags: /^--[\w-]+=.*$/s, code: /^-[eE]|^--(?:eval|print)\b/ },
  deno: { flags: /^-q$/, code: NONE },
};
const SHELLS = new Set(
  [
    'sh bash dash zsh ksh ash mksh fish csh tcsh rbash powershell pwsh cmd osascript tclsh wish expect',
    'bc dc ed ex gdb sqlite3 psql mysql mariadb gnuplot octave at batch crontab',
  ]
    .join(' ')
    .split(' '),
);
const RUNS_NOTHING = /^(?:--test|--version|--help|-[vVh])$/;

/** Whether a program takes its code from its standard input: an interpreter that is given neither code nor a file, or `-` for one. */
export function readsCodeFromInput(name: string, words: readonly ShellWord[]): boolean {
  const kind = usualName(name);
  const interpreter = SHELLS.has(name) ? SHELL : Object.hasOwn(INTERPRETERS, kind) ? INTERPRETERS[kind] : undefined;
  if (interpreter === undefined || words.some(({ text }) => RUNS_NOTHING.test(text ?? ''))) return false;
  for (const { text, prefix } of words) {
    if (text === undefined) return prefix === '' || /^[-/]/.test(prefix);
    if (!text.startsWith('-')) return /^\/(?:dev|proc)\//.test(text);
    if (interpreter.code.test(text)) return false;
    // The value of an option that is not known could be taken for a file.
    if (!interpreter.flags.test(text)) return true;
  }
  return true;
}
