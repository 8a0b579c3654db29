import { createInterface } from 'node:readline';
import type { Output } from '../output/output.ts';
import { warnIfSlow } from '../output/warn-if-slow.ts';
import { SILENT_MS } from '../prompt/read-stdin.ts';
import { usageError } from '../usage-error.ts';

/** The longest message, in characters. */
export const MAX_MESSAGE = 1_000_000;

/**
 * Yields the messages of an input that is not a terminal: one a line; a backslash at its end adds the next one. Ends with the signal. While nothing has come it says
 * that it waits, and after ten minutes it throws a usage error.
 */
export async function* readMessages(
  input: NodeJS.ReadableStream,
  output: Pick<Output, 'alert'>,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const silent = new AbortController();
  const timer = setTimeout(() => silent.abort(), SILENT_MS);
  const stopWarning = warnIfSlow(output, 'messages on stdin, one a line');
  const heard = (): void => {
    clearTimeout(timer);
    stopWarning();
  };
  const lines = createInterface({ input, crlfDelay: Infinity, signal: AbortSignal.any([signal, silent.signal]) });
  lines.once('close', heard);
  input.once('data', heard);
  let entered: string[] = [];
  for await (const line of lines) {
    if (line.endsWith('\\')) {
      entered.push(line.slice(0, -1));
      continue;
    }
    yield [...entered, line].join('\n');
    entered = [];
  }
  if (silent.signal.aborted)
    throw usageError(`Nothing came from stdin within ${SILENT_MS / 1000} s. Pipe the messages in, one a line.`);
  if (entered.length > 0) yield entered.join('\n');
}
