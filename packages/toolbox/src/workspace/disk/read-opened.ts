import { closeSync, constants, read, readSync } from 'node:fs';
import { promisify } from 'node:util';
import { quote, toolError } from '../errors.ts';
import type { Range } from '../storage.ts';
import type { FileContent } from '../types.ts';
import { infoOf } from './guard.ts';
import type { OpenPath } from './open-path.ts';

/** Below this, reading at once costs less than waiting for it. */
const MAX_AT_ONCE = 262_144;

const readSome = promisify(read);

export async function readOpened(
  at: OpenPath,
  { asked, length, maxBytes, place, signal, start }: Range & { readonly asked: string; readonly place: string },
): Promise<FileContent> {
  if (!at.stats.isFile()) throw toolError(`${quote(asked)} is not a file.`);
  const fd = at.reopen(constants.O_RDONLY);
  try {
    const info = infoOf(at.stats, place);
    const wanted = Math.max(0, Math.min(info.size - start, length ?? Infinity));
    if (wanted > maxBytes)
      throw toolError(`${quote(asked)} has ${info.size} bytes; at most ${maxBytes} are read at once. Read a range.`);
    const bytes = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      signal?.throwIfAborted();
      const count =
        wanted <= MAX_AT_ONCE
          ? readSync(fd, bytes, filled, wanted - filled, start + filled)
          : (await readSome(fd, bytes, filled, Math.min(wanted - filled, 8_388_608), start + filled)).bytesRead;
      if (count === 0) break;
      filled += count;
    }
    return { ...info, bytes: bytes.subarray(0, filled) };
  } finally {
    closeSync(fd);
  }
}
