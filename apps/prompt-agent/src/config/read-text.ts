import { constants, open } from 'node:fs/promises';
import { usageError } from '../usage-error.ts';

/** The longest file that is read, in bytes. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Reads a text file that the user named. Returns undefined if there is none. A pipe or a device cannot block it, and its size is that of the
 * opened file. Throws a usage error that begins with `what`, such as `--config`, for a file that cannot be read or is longer than 4 MiB.
 */
export async function readText(path: string, what: string): Promise<string | undefined> {
  const refuse = (problem: string): Error => usageError(`${what}: "${path}" ${problem}.`);
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (code === 'ENOENT') return undefined;
    throw refuse(`cannot be read (${code})`);
  });
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse('is not a file');
    if (stats.size > MAX_BYTES) throw refuse(`is longer than ${MAX_BYTES / 1024 / 1024} MiB`);
    // One byte more than the file has, so that one that grows is noticed.
    const { bytesRead, buffer } = await file.read(Buffer.alloc(stats.size + 1), 0, stats.size + 1, 0);
    if (bytesRead > stats.size) throw refuse('changes while it is read');
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
