import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Output } from '../output/output.ts';
import type { Terminal } from './ask.ts';

/** Asks for a line that is not shown while it is typed; empty if the input ends first. Rejects with the reason of an abort. */
export function askSecret(terminal: Terminal, output: Output, question: string, signal: AbortSignal): Promise<string> {
  signal.throwIfAborted();
  output.note(question);
  // readline shows what is typed on its output: this one shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.stdin, output: nowhere, terminal: true });
  return new Promise((resolve, reject) => {
    let line = '';
    const stop = (): void => lines.close();
    signal.addEventListener('abort', stop, { once: true });
    lines.once('SIGINT', () => {
      lines.close();
      process.kill(process.pid, 'SIGINT');
    });
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
