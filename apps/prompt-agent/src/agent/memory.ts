import { constants } from 'node:fs';
import { open, readdir, realpath } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { sliceHead } from '@kernel/internal';
import { mayHoldCredentials } from '@kernel/toolbox/workspace';
import { usageError } from '../exit-code.ts';
import { isInside } from '../files/paths.ts';
import { decodeAnyText } from '../files/read-file.ts';
import type { Output } from '../output/output.ts';
import { listText } from '../output/quantities.ts';

const MAX_BYTES = 65_536;
const MAX_NAMED = 10;

/**
 * Reads the notes of a memory folder: its `.md` and `.txt` files by name, each under a heading, at most 64 KiB in all; a last line, and a note on
 * stderr, name what was left out, and why. Links that lead out of the folder or to what usually holds credentials, pipes and devices are left out without a word. Returns an empty
 * string if there are no notes. Throws a usage error for a folder that cannot be read.
 */
export async function loadMemory(folder: string, cwd: string, output: Output): Promise<string> {
  const unreadable = (): never => {
    throw usageError(`--memory "${folder}" is not a readable folder.`);
  };
  const root = await realpath(resolve(cwd, folder)).catch(unreadable);
  const entries = await readdir(root, { withFileTypes: true }).catch(unreadable);
  const notes: string[] = [];
  const leftOut: string[] = [];
  let left = MAX_BYTES;
  for (const entry of entries.toSorted((one, other) => (one.name < other.name ? -1 : 1))) {
    const shown = JSON.stringify(entry.name);
    if (!/\.(?:md|txt)$/i.test(entry.name)) {
      if (!entry.name.startsWith('.'))
        leftOut.push(`${shown} (${entry.isDirectory() ? 'a folder' : 'neither .md nor .txt'})`);
      continue;
    }
    // oxlint-disable-next-line no-await-in-loop -- in order, and what is left counts
    const bytes = await readNote(root, entry.name);
    if (bytes === undefined) continue;
    // oxlint-disable-next-line no-await-in-loop -- as above
    const text = (await decodeAnyText(bytes, (what) => output.note(`memory ${folder}: ${shown} ${what}`)))?.trim();
    const kept = sliceBytes(text ?? '', left);
    left -= Buffer.byteLength(kept);
    if (text === undefined) leftOut.push(`${shown} (not text)`);
    else if (kept !== text || bytes.length > MAX_BYTES)
      leftOut.push(`${kept === '' ? '' : 'the rest of '}${shown} (more than 64 KiB in all)`);
    if (kept !== '') notes.push(`## ${entry.name}\n${kept}`);
  }
  if (notes.length === 0 && leftOut.length === 0) return '';
  const note = leftOut.length === 0 ? [] : [`Left out: ${listText(leftOut, MAX_NAMED)}.`];
  for (const line of note) output.note(`memory ${folder}: ${line}`);
  return `# Memory\n${[...notes, ...note].join('\n\n')}`;
}

/** The text of a file in the folder, as bytes, one more than all notes may have; undefined for anything else. */
async function readNote(root: string, name: string): Promise<Uint8Array | undefined> {
  const real = await realpath(join(root, name)).catch(() => undefined);
  if (real === undefined || !isInside(root, real) || mayHoldCredentials(relative(root, real))) return undefined;
  // O_NONBLOCK: a pipe cannot block. O_NOFOLLOW: a link that takes the file's place after the check is not followed.
  const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0);
  const file = await open(real, flags).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    if (!(await file.stat()).isFile()) return undefined;
    const { bytesRead, buffer } = await file.read(Buffer.alloc(MAX_BYTES + 1), 0, MAX_BYTES + 1, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function sliceBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(Math.max(0, maxBytes)));
  return sliceHead(text, read);
}
