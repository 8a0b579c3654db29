import { spawn } from 'node:child_process';
import { PassThrough } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { stripVTControlCharacters } from 'node:util';
import { vi } from 'vitest';
import type { Host } from '../src/host.ts';
import { main } from '../src/main.ts';

const CLI = fileURLToPath(new URL('../dist/cli.js', import.meta.url));

/** A terminal of this process: what the program writes to both streams, in order. */
export interface FakeTerminal {
  readonly host: Pick<Host, 'stdin' | 'stdout' | 'stderr'>;
  readonly stdin: PassThrough;
  /** All that was written, in order. */
  readonly raw: () => string;
  /** What was written to stdout alone. */
  readonly answer: () => string;
}

/** Makes a terminal of a width. */
export function fakeTerminal(columns = 80): FakeTerminal {
  let raw = '';
  let answer = '';
  const stream = (isAnswer: boolean) => {
    const made = Object.assign(new PassThrough(), { isTTY: true, columns, rows: 30 });
    made.setEncoding('utf8').on('data', (piece: string) => {
      raw += piece;
      if (isAnswer) answer += piece;
    });
    return made;
  };
  const stdin = Object.assign(new PassThrough(), { isTTY: true });
  return { host: { stdin, stdout: stream(true), stderr: stream(false) }, stdin, raw: () => raw, answer: () => answer };
}

/** Runs the program on a terminal of this process. */
export function promptAt(
  terminal: FakeTerminal,
  args: readonly string[],
  { cwd, env = {} }: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<number> {
  return main({
    argv: args,
    env: { TZ: 'UTC', TERM: 'xterm-256color', PROMPT_AGENT_SERVERS: '', ...env },
    cwd,
    home: cwd,
    ...terminal.host,
    signal: new AbortController().signal,
  });
}

/** The control sequences in a text, each once, but for colours and weights. */
export function controlsOf(text: string): readonly string[] {
  // oxlint-disable-next-line no-control-regex -- finding them is what this is for
  const found =
    // oxlint-disable-next-line no-control-regex -- finding them is what this is for
    text.match(/\u001B\[[0-9;?]*[A-Za-z]|\u001B\].*?\u001B\\|[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g) ?? [];
  // oxlint-disable-next-line no-control-regex
  return [...new Set(found.filter((each) => !/^\u001B\[[0-9;]*m$/.test(each)))].toSorted();
}

/** A text without control sequences. */
export function plain(text: string): string {
  return stripVTControlCharacters(text).replaceAll('\r', '');
}

/** What stands on a screen that is high and wide enough, once all was written: lines that were erased and written again count once. */
export function screenOf(raw: string): string {
  const lines: string[] = [''];
  let row = 0;
  let column = 0;
  // oxlint-disable-next-line no-control-regex
  for (const [token] of raw.matchAll(/\u001B\[[0-9;?]*[A-Za-z]|\u001B\].*?\u001B\\|[\r\n]|[^\u001B\r\n]+/g)) {
    const line = lines[row] ?? '';
    if (token === '\n') row += 1;
    else if (token === '\r') column = 0;
    else if (token === '\u001B[K') lines[row] = line.slice(0, column);
    else if (token === '\u001B[1A') row -= 1;
    else if (!token.startsWith('\u001B')) {
      lines[row] = line.slice(0, column).padEnd(column) + token + line.slice(column + token.length);
      column += token.length;
    }
    // A stream of this process has no carriage return before a new line, which a terminal adds.
    if (token === '\n') column = 0;
    while (lines.length <= row) lines.push('');
  }
  return lines.join('\n');
}

/** The built program in a pseudo-terminal. */
export interface PseudoTerminal {
  /** Presses keys. */
  readonly type: (keys: string) => void;
  /** All that was written. */
  readonly raw: () => string;
  /** Waits until a text stands in what was written, without control sequences, after what an earlier call has found. */
  readonly sees: (text: string) => Promise<void>;
  /** Resolves to the exit code. */
  readonly ended: Promise<number | null>;
}

/**
 * Starts the built program in a pseudo-terminal of `script` (util-linux), which every Linux has; `inShell` types it
 * into a shell there, whose prompt is `$ `.
 */
export function inPseudoTerminal(
  args: readonly string[],
  {
    cwd,
    columns = 80,
    inShell = false,
    env = {},
  }: {
    readonly cwd: string;
    readonly columns?: number;
    readonly inShell?: boolean;
    readonly env?: Readonly<Record<string, string>>;
  },
): PseudoTerminal {
  const quote = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;
  const program = [process.execPath, CLI, ...args].map(quote).join(' ');
  const child = spawn(
    'script',
    ['-qec', `stty cols ${columns} rows 30; exec ${inShell ? 'sh -im' : program}`, '/dev/null'],
    {
      cwd,
      env: {
        PATH: process.env['PATH'],
        NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
        HOME: cwd,
        TZ: 'UTC',
        LANG: 'C.UTF-8',
        SHELL: '/bin/sh',
        TERM: 'xterm-256color',
        PROMPT_AGENT_SERVERS: '',
        PS1: '$ ',
        ...env,
      },
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  if (inShell) child.stdin.write(`${program}\r`);
  let raw = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (piece: string) => {
    raw += piece;
  });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.on('error', reject).on('close', resolve);
  });
  return {
    type: (keys) => void child.stdin.write(keys),
    raw: () => raw,
    async sees(text) {
      await vi.waitFor(
        () => {
          const at = plain(raw).indexOf(text, seen);
          if (at === -1) throw new Error(`"${text}" is not in ${JSON.stringify(plain(raw).slice(seen))}`);
          seen = at + text.length;
        },
        { timeout: 60_000, interval: 20 },
      );
    },
    ended,
  };
}
