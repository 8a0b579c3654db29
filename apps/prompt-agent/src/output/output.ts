import { createRedactor, terminalText } from '@kernel/internal';
import type { Host } from '../host.ts';
import { safeJson } from './escape.ts';
import { type Capabilities, capabilitiesOf } from './terminal/capabilities.ts';

/** The two standard streams. Everything that is written is escaped, and secrets are redacted in it. */
export interface Output {
  readonly capabilities: Capabilities;
  /** Writes a piece of the answer to stdout, without a newline. */
  write(text: string): void;
  /** Writes to stdout what somebody decides on, escaped, with nothing redacted: it shows what would run. */
  writeWhole(text: string): void;
  /** Writes a value to stdout as JSON, and a newline; indented by `space`. It stays valid JSON where a secret consists of digits: a number with it is written as `"[redacted]"`. */
  writeJson(value: unknown, space?: number): void;
  note(line: string): void;
  /** Writes a line to stderr even if the output is quiet: an error or a question. */
  alert(line: string): void;
  /** Writes lines that `encodeLine` has made to stderr even if the output is quiet: a question, in which nothing is redacted, since it shows what would run. */
  alertEncoded(lines: readonly string[]): void;
  /** Writes lines of the answer that `encodeLine` has made, and escaped. */
  writeEncoded(lines: readonly string[]): void;
  /** Writes lines that `encodeLine` has made to stderr, unless the output is quiet. */
  noteEncoded(lines: readonly string[]): void;
  /**
   * Shows lines on stderr that stay the last ones until the next call replaces them; none removes them. Each has to fit the width. Without effect where the
   * terminal cannot move its cursor, and while the lines are held.
   */
  live(lines: readonly string[]): void;
  /** Sets what the last of the live lines are, such as what is being typed; `undefined` for none. */
  footer(render: (() => readonly string[]) | undefined): void;
  /**
   * Removes the live lines, and holds back all that is written to the terminal but `alertEncoded` until the function that it returns is called, or `settle`: a question has
   * the terminal, and nothing that a server or a model says stands below it.
   */
  hold(): () => void;
  quiet(): void;
  /** Redacts this secret from now on. */
  hide(secret: string | undefined): void;
  /** Writes what is still held back, and a newline if the last line is incomplete. */
  finish(): void;
  /** Resolves when stdout has accepted all that was written, or has failed. */
  settle(): Promise<void>;
  /** What went wrong with stdout. A pipe that its reader closed is not a failure. */
  failure(): string | undefined;
  /** Aborts when stdout accepts no more: its reader is gone, or writing failed. Without stderr the answer is still wanted. */
  readonly closed: AbortSignal;
}

/** The most pieces of text that are held back; further ones are dropped. */
const MAX_HELD = 100_000;
const ERASE_LINE = '\r\u001B[K';
const LINE_UP = '\u001B[1A';

/**
 * Creates the output of the program. `failure` reports what went wrong with stdout, but a closed pipe; either aborts
 * `closed`. A failed stderr does not.
 */
export function createOutput({
  env = {},
  stdout,
  stderr,
}: Pick<Host, 'stdout' | 'stderr'> & Partial<Pick<Host, 'env'>>): Output {
  const closed = new AbortController();
  let failure: string | undefined;
  let hasStderr = true;
  stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') failure ??= `stdout cannot be written: ${error.message}`;
    closed.abort(error);
  });
  stderr.on('error', () => {
    hasStderr = false;
  });
  const capabilities = capabilitiesOf({ env, stdout, stderr });
  const redactor = createRedactor();
  let answer = redactor.stream();
  let isLineOpen = false;
  /** Whether a number may hold a secret. */
  let hasDigits = false;
  let isQuiet = false;
  let shown: readonly string[] = [];
  /** What waits for the end of a question; undefined while there is none. */
  let held: (() => void)[] | undefined;
  let renderFooter: (() => readonly string[]) | undefined;
  const eraseLive = () => {
    if (shown.length === 0 || !hasStderr) return;
    stderr.write(ERASE_LINE + `${LINE_UP}${ERASE_LINE}`.repeat(shown.length - 1));
    shown = [];
  };
  const release = () => {
    const writes = held;
    held = undefined;
    for (const write of writes ?? []) write();
  };
  const tell = (write: () => void, isShown = true) => {
    if (!held || !isShown) write();
    else if (held.length < MAX_HELD) held.push(write);
  };
  const endLine = () => {
    if (isLineOpen) writeOut('\n');
  };
  const putEncoded = (text: string) => {
    if (text !== '') tell(() => writeOut(text), capabilities.streams);
  };
  const writeOut = (text: string) => {
    if (closed.signal.aborted) return;
    eraseLive();
    stdout.write(text);
    isLineOpen = !text.endsWith('\n');
  };
  const put = (text: string) => putEncoded(terminalText(text));
  const putError = (text: string) => {
    if (!hasStderr) return;
    eraseLive();
    stderr.write(text);
  };
  const flush = () => {
    put(answer.end());
    answer = redactor.stream();
  };
  const withoutSecret = (_key: string, value: unknown): unknown =>
    typeof value === 'number' && redactor.text(String(value)) !== String(value) ? '[redacted]' : value;
  const wrap = (text: string): string =>
    capabilities.isLive
      ? text
          .split('\n')
          .flatMap((line) => wrapWords(line, capabilities.columns()))
          .join('\n')
      : text;
  const alertEncoded = (lines: readonly string[]) => {
    if (lines.length > 0) putError(lines.map((line) => `${line}\n`).join(''));
  };
  const alert = (line: string) => tell(() => putError(`${wrap(terminalText(redactor.text(line)))}\n`));
  return {
    capabilities,
    closed: closed.signal,
    write: (text) => put(answer.push(text)),
    writeWhole(text) {
      flush();
      put(text);
    },
    writeJson: (value, space) => put(answer.push(`${safeJson(value, space, hasDigits ? withoutSecret : undefined)}\n`)),
    note(line) {
      if (!isQuiet) alert(line);
    },
    alert,
    alertEncoded,
    writeEncoded(lines) {
      flush();
      putEncoded(lines.map((line) => `${redactor.text(line)}\n`).join(''));
    },
    noteEncoded(lines) {
      if (!isQuiet) tell(() => alertEncoded(lines.map((line) => redactor.text(line))));
    },
    live(body) {
      if (!capabilities.isLive || held || isLineOpen || !hasStderr || closed.signal.aborted) return;
      const lines = [...(isQuiet ? [] : body), ...(renderFooter?.() ?? [])];
      if (lines.length === shown.length && lines.every((line, index) => line === shown[index])) return;
      eraseLive();
      stderr.write(lines.map((line) => redactor.text(line)).join('\n'));
      shown = lines;
    },
    footer(render) {
      renderFooter = render;
    },
    hold() {
      eraseLive();
      held ??= [];
      return release;
    },
    quiet() {
      isQuiet = true;
    },
    hide(secret) {
      redactor.add(secret);
      hasDigits ||= /^[\d.eE+-]+$/.test(secret ?? '');
      flush();
    },
    settle: () =>
      new Promise((resolve) => {
        release();
        if (closed.signal.aborted) resolve();
        // The callback of a failed write runs before the stream emits its error.
        else stdout.write('', () => setImmediate(resolve));
      }),
    failure: () => failure,
    finish() {
      eraseLive();
      flush();
      tell(endLine, capabilities.streams);
    },
  };
}

/**
 * Breaks a line of plain text between words, so that a terminal does not break it within one. A character counts as one column; a word that is longer than the width
 * stays whole, and so does a line that fits.
 */
export function wrapWords(line: string, width: number): readonly string[] {
  const lines: string[] = [];
  let rest = line;
  while (rest.length > width) {
    const indent = rest.length - rest.trimStart().length;
    const before = rest.lastIndexOf(' ', width);
    const at = before > indent ? before : rest.indexOf(' ', Math.max(width, indent));
    if (at === -1) break;
    lines.push(rest.slice(0, at).trimEnd());
    rest = rest.slice(at).trimStart();
  }
  return [...lines, rest];
}

/** After this time the user is told what the program waits for, in milliseconds. */
export const SLOW_MS = 5000;

/** Says after five seconds what the program waits for, also with `-q`. Returns a function that ends that: the wait is over, or somebody is asked meanwhile. */
export function warnIfSlow({ alert }: Pick<Output, 'alert'>, what: string): () => void {
  const timer = setTimeout(() => alert(`waiting for ${what}`), SLOW_MS);
  return () => clearTimeout(timer);
}
