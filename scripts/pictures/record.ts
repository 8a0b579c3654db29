import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { systemProgram } from '../lib/system-program.ts';

/** A run of a program in a pseudo-terminal. */
export interface Recording {
  /** The file of the program, which Node runs. Default: ours, as it is built. */
  readonly file?: string;
  /** The words after its name. */
  readonly args: readonly string[];
  /** What is typed, each once its text stands on the screen after what the one before waited for. */
  readonly typed?: readonly (readonly [seen: string, keys: string])[];
  /** The folder that it runs in. */
  readonly cwd: string;
  /** Its environment. */
  readonly env: Readonly<Record<string, string>>;
  /** The width of the terminal, in columns. */
  readonly columns: number;
}

/** The built program. */
export const CLI = join(import.meta.dirname, '../../apps/prompt-agent/dist/cli.js');
/** To end a run that hangs. */
const TIMEOUT_MS = 60_000;
/** How high the terminal is: higher than any picture, so that nothing scrolls. */
export const ROWS = 60;

/** A word as a shell has it. */
export function quote(word: string): string {
  return `'${word.replaceAll("'", String.raw`'\''`)}'`;
}

/** Runs a program in a pseudo-terminal of `script` (util-linux), and resolves to all that it wrote. */
export function record({ file = CLI, args, typed = [], cwd, env, columns }: Recording): Promise<string> {
  const program = [process.execPath, file, ...args].map(quote).join(' ');
  const child = spawn(
    systemProgram('script'),
    ['-qec', `stty cols ${columns} rows ${ROWS}; exec ${program}`, '/dev/null'],
    {
      cwd,
      env: { PATH: process.env['PATH'], LANG: 'C.UTF-8', SHELL: '/bin/sh', TERM: 'xterm-256color', TZ: 'UTC', ...env },
      stdio: ['pipe', 'pipe', 'inherit'],
      timeout: TIMEOUT_MS,
    },
  );
  let raw = '';
  let from = 0;
  const left = [...typed];
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (piece: string) => {
      raw += piece;
      const [next] = left;
      const text = stripVTControlCharacters(raw);
      const at = next === undefined ? -1 : text.indexOf(next[0], from);
      if (next === undefined || at === -1) return;
      from = at + next[0].length;
      left.shift();
      child.stdin.write(next[1]);
    });
    child.on('error', reject).on('close', () => {
      if (left[0] === undefined) resolve(raw);
      else reject(new Error(`"${left[0][0]}" was not seen in:\n${stripVTControlCharacters(raw)}`));
    });
  });
}
