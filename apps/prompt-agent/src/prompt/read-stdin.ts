import type { Host } from '../host.ts';
import type { Output } from '../output/output.ts';
import { usageError } from '../usage-error.ts';

/** The most that is read from stdin, in bytes. */
const MAX_BYTES = 32 * 1024 * 1024;
/** After this time without an end the user is told what the program waits for, in milliseconds. */
const PATIENCE_MS = 3000;

/**
 * Reads what is piped into the program, to its end; empty if stdin is a terminal, or has nothing. Rejects with a usage error beyond 32 MiB, and with the
 * reason of an abort.
 */
export async function readStdin(
  { stdin }: Pick<Host, 'stdin'>,
  output: Output,
  signal: AbortSignal,
): Promise<Uint8Array> {
  if (stdin.isTTY === true) return new Uint8Array();
  signal.throwIfAborted();
  const chunks: Buffer[] = [];
  let size = 0;
  const patience = setTimeout(
    () => output.note('waiting for the end of stdin; give < /dev/null if nothing is meant to come from there'),
    PATIENCE_MS,
  );
  try {
    await new Promise<void>((resolve, reject) => {
      const abort = (): void => reject(toError(signal.reason));
      signal.addEventListener('abort', abort, { once: true });
      stdin.on('data', (chunk: Buffer | string) => {
        const bytes = Buffer.from(chunk);
        size += bytes.length;
        if (size > MAX_BYTES) reject(usageError(`stdin has more than ${MAX_BYTES} bytes.`));
        else chunks.push(bytes);
      });
      stdin.once('end', resolve);
      stdin.once('close', resolve);
      stdin.once('error', (error: Error) => reject(usageError(`stdin cannot be read: ${error.message}.`)));
    });
  } finally {
    clearTimeout(patience);
    stdin.pause();
  }
  return Buffer.concat(chunks);
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
