import { createRedactor } from '@kernel/internal';
import type { Host } from '../host.ts';
import { safeText } from './escape.ts';

/** The two standard streams. Everything that is written is escaped, and secrets are redacted in it. */
export interface Output {
  /** Writes a piece of the answer to stdout, without a newline. */
  write(text: string): void;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** Redacts this secret from now on. */
  hide(secret: string | undefined): void;
  /** Writes what is still held back, and a newline if the last line is incomplete. */
  finish(): void;
  /** Resolves when stdout has accepted all that was written, or has failed. */
  settle(): Promise<void>;
  /** What went wrong with a standard stream. A pipe that its reader closed is not a failure. */
  failure(): string | undefined;
  /** Aborts when stdout or stderr accepts no more: its reader is gone, or writing failed. */
  readonly closed: AbortSignal;
}

/** Creates the output of the program. A closed pipe only aborts `closed`; any other failure is also reported by `failure`. */
export function createOutput({ stdout, stderr }: Pick<Host, 'stdout' | 'stderr'>): Output {
  const closed = new AbortController();
  let failure: string | undefined;
  const watch = (stream: NodeJS.WritableStream, name: string) =>
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') failure ??= `${name} cannot be written: ${error.message}`;
      closed.abort(error);
    });
  watch(stdout, 'stdout');
  watch(stderr, 'stderr');
  const redactor = createRedactor();
  let answer = redactor.stream();
  let isLineOpen = false;
  const put = (text: string) => {
    if (text === '' || closed.signal.aborted) return;
    stdout.write(safeText(text));
    isLineOpen = !text.endsWith('\n');
  };
  const flush = () => {
    put(answer.end());
    answer = redactor.stream();
  };
  return {
    closed: closed.signal,
    write: (text) => put(answer.push(text)),
    note: (line) => void stderr.write(`${safeText(redactor.text(line))}\n`),
    hide(secret) {
      redactor.add(secret);
      flush();
    },
    settle: () =>
      new Promise((resolve) => {
        if (closed.signal.aborted) resolve();
        // The callback of a failed write runs before the stream emits its error.
        else stdout.write('', () => setImmediate(resolve));
      }),
    failure: () => failure,
    finish() {
      flush();
      if (isLineOpen) put('\n');
    },
  };
}
