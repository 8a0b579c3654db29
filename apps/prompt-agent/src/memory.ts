import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { usageError } from './usage-error.ts';

const MAX_BYTES = 65_536;

/**
 * Reads the notes of a memory folder: its `.md` and `.txt` files by name, each under a heading, at most 64 KiB in all. Returns an empty
 * string if there are none. Throws a usage error for a folder that cannot be read.
 */
export async function loadMemory(folder: string, cwd: string): Promise<string> {
  const root = resolve(cwd, folder);
  const names = await readdir(root).catch(() => {
    throw usageError(`--memory "${folder}" is not a readable folder.`);
  });
  const notes: string[] = [];
  let left = MAX_BYTES;
  for (const name of names.filter((entry) => /\.(?:md|txt)$/i.test(entry)).toSorted()) {
    const text = await readFile(join(root, name), 'utf8').catch(() => '');
    const kept = text.slice(0, left).trim();
    left -= kept.length;
    if (kept !== '') notes.push(`## ${name}\n${kept}`);
  }
  return notes.length === 0 ? '' : `# Memory\n${notes.join('\n\n')}`;
}
