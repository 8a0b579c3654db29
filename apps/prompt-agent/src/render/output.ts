import type { Host } from '../host.ts';
import { safeText } from './escape.ts';
import { createRedactor, type Redactor } from './redact.ts';

/** The two standard streams. Everything that is written is escaped, and the token is replaced in it. */
export interface Output {
  /** Writes a piece of the answer to stdout as it is. */
  write(text: string): void;
  /** Writes a line to stderr. */
  note(line: string): void;
  /** From now on this secret is replaced. */
  hide(secret: string | undefined): void;
  /** Writes what is still held back, and a newline where stdout stands in the middle of a line. */
  finish(): void;
  /** Waits until stdout has taken all that was written, or failed. */
  settle(): Promise<void>;
  /** What went wrong with a standard stream; a pipe that its reader closed is no fault. */
  fault(): string | undefined;
  /** Aborted when stdout or stderr takes no more: the reader went away, or writing failed. */
  readonly closed: AbortSignal;
}

/** Makes the output of one run of the program. A closed pipe is quiet: it only aborts `closed`; any other failure is also told by `fault`. */
export function createOutput({ stdout, stderr }: Pick<Host, 'stdout' | 'stderr'>): Output {
  const closed = new AbortController();
  let fault: string | undefined;
  const watch = (stream: NodeJS.WritableStream, name: string) =>
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') fault ??= `${name} cannot be written: ${error.message}`;
      closed.abort(error);
    });
  watch(stdout, 'stdout');
  watch(stderr, 'stderr');
  let secret: string | undefined;
  let redactor: Redactor = createRedactor(undefined);
  let isMidLine = false;
  const put = (text: string) => {
    if (text === '' || closed.signal.aborted) return;
    stdout.write(safeText(text));
    isMidLine = !text.endsWith('\n');
  };
  return {
    closed: closed.signal,
    write: (text) => put(redactor.push(text)),
    note(line) {
      const whole = createRedactor(secret);
      stderr.write(`${safeText(whole.push(line) + whole.end())}\n`);
    },
    hide(next) {
      secret = next;
      redactor = createRedactor(next);
    },
    settle: () =>
      new Promise((resolve) => {
        if (closed.signal.aborted) resolve();
        // The callback of a failed write comes before the stream's own event.
        else stdout.write('', () => setImmediate(resolve));
      }),
    fault: () => fault,
    finish() {
      put(redactor.end());
      if (isMidLine) put('\n');
    },
  };
}
