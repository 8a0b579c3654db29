import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { Output } from '../output/output.ts';
import { nextLine, type Terminal } from './ask.ts';

/** Asks for a line that is not shown while it is typed; empty if the input ends first. Rejects with the reason of an abort. */
export async function askSecret(
  terminal: Terminal,
  output: Output,
  question: string,
  signal: AbortSignal,
): Promise<string> {
  signal.throwIfAborted();
  output.note(question);
  // readline shows what is typed on its output: this one shows nothing.
  const nowhere = new Writable({ write: (_chunk, _encoding, done) => done() });
  const lines = createInterface({ input: terminal.stdin, output: nowhere, terminal: true });
  lines.once('SIGINT', () => {
    lines.close();
    process.kill(process.pid, 'SIGINT');
  });
  return (await nextLine(lines, signal)) ?? '';
}
