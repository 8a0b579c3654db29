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
  /** Aborted when nobody reads stdout any more. */
  readonly closed: AbortSignal;
}

/** Makes the output of one run of the program. A closed pipe is quiet: it only aborts `closed`. */
export function createOutput({ stdout, stderr }: Pick<Host, 'stdout' | 'stderr'>): Output {
  const closed = new AbortController();
  const onError = (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    closed.abort(error);
  };
  stdout.on('error', onError);
  stderr.on('error', onError);
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
    finish() {
      put(redactor.end());
      if (isMidLine) put('\n');
    },
  };
}
