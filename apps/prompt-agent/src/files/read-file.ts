import { constants, type FileHandle, open } from 'node:fs/promises';
import { usageError } from '../usage-error.ts';

/** The longest text file that is read, in bytes. */
const MAX_TEXT_BYTES = 4 * 1024 * 1024;
const PIECE_BYTES = 65_536;

/**
 * Reads a file that the user named, of at most `maxBytes`. Returns undefined if there is none. A pipe or a device cannot block it, and the size that
 * counts is that of the opened file. Throws a usage error that begins with `what`, such as `--images`, and names the path as it was written.
 */
export async function readBytes(
  path: string,
  { what, shown = path, maxBytes }: { readonly what: string; readonly shown?: string; readonly maxBytes: number },
): Promise<Uint8Array | undefined> {
  const refuse = (problem: string): Error => usageError(`${what}: "${shown}" ${problem}.`);
  const file = await open(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)).catch((error: unknown) => {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    if (code === 'ENOENT') return undefined;
    throw refuse(`cannot be read (${code})`);
  });
  if (file === undefined) return undefined;
  try {
    const stats = await file.stat();
    if (!stats.isFile()) throw refuse('is not a file');
    if (stats.size > maxBytes) throw refuse(`has ${stats.size} bytes; at most ${maxBytes} are read`);
    if (stats.size === 0) return await readWithoutSize(file, maxBytes, refuse);
    // One byte more than the file has, so that one that grows meanwhile is noticed.
    const { bytesRead, buffer } = await file.read(Buffer.alloc(stats.size + 1), 0, stats.size + 1, 0);
    if (bytesRead > stats.size) throw refuse('changes while it is read');
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** Reads a file whose size is 0: those below `/proc` have content all the same. */
async function readWithoutSize(
  file: FileHandle,
  maxBytes: number,
  refuse: (problem: string) => Error,
): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- piece after piece
    const { bytesRead, buffer } = await file.read(Buffer.alloc(PIECE_BYTES), 0, PIECE_BYTES, size);
    if (bytesRead === 0) return Buffer.concat(pieces);
    pieces.push(buffer.subarray(0, bytesRead));
    size += bytesRead;
    if (size > maxBytes) throw refuse(`has more than ${maxBytes} bytes`);
  }
}

/** Like `readBytes`, for UTF-8 text of at most 4 MiB. */
export async function readText(path: string, what: string, shown = path): Promise<string | undefined> {
  const bytes = await readBytes(path, { what, shown, maxBytes: MAX_TEXT_BYTES });
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw usageError(`${what}: "${shown}" is not UTF-8 text.`);
  }
}
