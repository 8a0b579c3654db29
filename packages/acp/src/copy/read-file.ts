import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/** The most bytes of a file that the agent may read and write through its client, and that a diff can show. */
export const MAX_FILE = 16 * 1024 ** 2;

/** Reads a file of a copy. Rejects for a link, for anything else but a file, and for a file that is too large. */
export async function readRegularFile(
  path: string,
  named: string,
): Promise<{ readonly bytes: Buffer; readonly mode: number }> {
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const info = await file.stat();
    if (!info.isFile()) throw refused(`${shown(named)} is not a file`);
    if (info.size > MAX_FILE) throw refused(`${shown(named)} is larger than ${MAX_FILE} bytes`);
    return { bytes: await file.readFile(), mode: info.mode };
  } finally {
    await file.close();
  }
}

/** The error for what an agent may not do. */
export function refused(what: string): KernelError {
  return new KernelError('TOOL_FAILED', `${what}.`);
}

/** A path as an error shows it. */
export function shown(path: string): string {
  return JSON.stringify(sliceHead(path, 200));
}
