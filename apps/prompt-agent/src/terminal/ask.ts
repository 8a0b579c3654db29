import { createInterface } from 'node:readline';
import type { Host } from '../host.ts';

/** How long the terminal must be silent before a question counts as asked, in milliseconds. */
const SILENCE_MS = 30;

/** A terminal that a person sits at: what is asked on stderr is answered on stdin. */
export type Terminal = Pick<Host, 'stdin' | 'stderr'>;

/** Whether there is a terminal to ask on. */
export function hasTerminal({ stdin, stderr }: Terminal): boolean {
  return stdin.isTTY === true && stderr.isTTY === true;
}

/**
 * Asks a question and returns the line that is typed after it; empty if the input ends first. What was typed before the question is discarded: it
 * was not meant as an answer. Throws the reason of an abort.
 */
export async function ask(terminal: Terminal, show: () => void, signal: AbortSignal): Promise<string> {
  await discardTyped(terminal.stdin);
  signal.throwIfAborted();
  show();
  return readLine(terminal.stdin, signal);
}

/** Reads and drops what the terminal has buffered. In raw mode that includes a line that is not finished. */
async function discardTyped(stdin: Host['stdin']): Promise<void> {
  stdin.setRawMode?.(true);
  await new Promise<void>((resolve) => {
    let timer: NodeJS.Timeout | undefined;
    const drop = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        stdin.off('data', drop);
        stdin.pause();
        resolve();
      }, SILENCE_MS);
    };
    stdin.on('data', drop);
    drop();
  });
  stdin.setRawMode?.(false);
}

/** Reads one line; empty if the input ends first. Throws the reason of an abort. */
function readLine(input: NodeJS.ReadableStream, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const lines = createInterface({ input, terminal: false });
    const stop = () => lines.close();
    signal.addEventListener('abort', stop, { once: true });
    lines.once('line', (text) => {
      line = text;
      lines.close();
    });
    lines.once('close', () => {
      signal.removeEventListener('abort', stop);
      if (signal.aborted) reject(signal.reason instanceof Error ? signal.reason : new Error('interrupted'));
      else resolve(line);
    });
  });
}
