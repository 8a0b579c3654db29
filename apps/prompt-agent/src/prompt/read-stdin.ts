import type { CommandCall } from '../command-call.ts';
import { usageError } from '../exit-code.ts';
import { SLOW_MS } from '../output/output.ts';

const MAX_BYTES = 32 * 1024 * 1024;
/** How long the first byte may take where nothing on the command line says that one will come. */
const UNNAMED_MS = 60_000;
/** How long nothing may come where something will: a program that is built or tested may write its first line after minutes. */
export const SILENT_MS = 600_000;

/**
 * What depends on stdin. `named` on the command line, as in `-a -`: its first byte is waited for ten minutes. `needed` without being named: one minute.
 * Optional: five seconds, and `skipNote` says what happens without it. Once it has begun, each further piece may take ten minutes.
 */
type StdinNeed = 'named' | 'needed' | { readonly skipNote: string };

/**
 * Reads what is piped into the program, to its end; empty if stdin is a terminal, or has nothing. A pipe that others hold open may never have anything: where
 * stdin is optional the program goes on without it, and says so, also with `-q`. Rejects with a usage error if nothing comes where it is needed, if it stops without an end, and beyond
 * 32 MiB, and with the reason of an abort.
 */
export async function readStdin(
  { host: { stdin }, output, signal }: CommandCall,
  need: StdinNeed,
): Promise<Uint8Array> {
  if (stdin.isTTY === true) return new Uint8Array();
  signal.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  const timers: NodeJS.Timeout[] = [];
  let stopReading: (() => void) | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => reject(toError(signal.reason));
      const onData = (chunk: Buffer | string): void => {
        const bytes = Buffer.from(chunk);
        size += bytes.length;
        silence.refresh();
        if (size > MAX_BYTES) reject(usageError(`stdin has more than ${MAX_BYTES} bytes.`));
        else chunks.push(bytes);
      };
      const tell = (): void => {
        if (size > 0) output.alert('waiting for the end of stdin');
        else if (typeof need === 'string') output.alert('waiting for stdin: nothing has arrived yet');
        else {
          output.alert(
            `note: nothing came from stdin within ${SLOW_MS / 1000} s. ${need.skipNote} If there is no input, add < /dev/null.`,
          );
          resolve();
        }
      };
      const giveUp = (ms: number): void => {
        const what = size === 0 ? 'Nothing' : 'Neither more data nor the end of input';
        reject(
          usageError(`${what} came from stdin within ${ms / 1000} s. Pipe the input in, or pass it as arguments.`),
        );
      };
      const unnamed = (): void => {
        if (size === 0 && need === 'needed') giveUp(UNNAMED_MS);
      };
      const silence = setTimeout(() => giveUp(SILENT_MS), SILENT_MS);
      timers.push(setTimeout(tell, SLOW_MS), setTimeout(unnamed, UNNAMED_MS), silence);
      signal.addEventListener('abort', onAbort, { once: true });
      stdin.on('data', onData).once('end', resolve).once('close', resolve);
      stdin.once('error', (error: Error) => reject(usageError(`stdin cannot be read: ${error.message}.`)));
      stopReading = () => {
        signal.removeEventListener('abort', onAbort);
        stdin.off('data', onData);
      };
    });
  } finally {
    for (const timer of timers) clearTimeout(timer);
    stopReading?.();
    stdin.pause();
  }
  return Buffer.concat(chunks);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
