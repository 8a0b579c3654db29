import { open, readdir, realpath } from 'node:fs/promises';
import { constants } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isInside } from './files/is-inside.ts';
import { usageError } from './usage-error.ts';
import { mayHoldCredentials } from '@kernel/toolbox/workspace';

const MAX_BYTES = 65_536;

/**
 * Reads the notes of a memory folder: its `.md` and `.txt` files by name, each under a heading, at most 64 KiB in all. Links that lead out of the
 * folder or to what usually holds credentials, pipes and devices are left out. Returns an empty string if there are no notes. Throws a usage error for a folder that cannot be read.
 */
export async function loadMemory(folder: string, cwd: string): Promise<string> {
  const unreadable = (): never => {
    throw usageError(`--memory "${folder}" is not a readable folder.`);
  };
  const root = await realpath(resolve(cwd, folder)).catch(unreadable);
  const names = await readdir(root).catch(unreadable);
  const notes: string[] = [];
  let left = MAX_BYTES;
  for (const name of names.filter((entry) => /\.(?:md|txt)$/i.test(entry)).toSorted()) {
    if (left <= 0) break;
    const kept = (await readNote(root, name, left)).trim();
    left -= Buffer.byteLength(kept);
    if (kept !== '') notes.push(`## ${name}\n${kept}`);
  }
  return notes.length === 0 ? '' : `# Memory\n${notes.join('\n\n')}`;
}

/** The first bytes of a file in the folder; empty for anything else. */
async function readNote(root: string, name: string, maxBytes: number): Promise<string> {
  const real = await realpath(join(root, name)).catch(() => undefined);
  if (real === undefined || !isInside(root, real) || mayHoldCredentials(relative(root, real))) return '';
  // O_NONBLOCK: a pipe cannot block. O_NOFOLLOW: a link that takes the file's place after the check is not followed.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const file = await open(real, flags).catch(() => undefined);
  if (file === undefined) return '';
  try {
    if (!(await file.stat()).isFile()) return '';
    const { bytesRead, buffer } = await file.read(Buffer.alloc(maxBytes), 0, maxBytes, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
