import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { usageFault } from './usage-fault.ts';

const MAX_BYTES = 65_536;

/**
 * Reads the notes of a memory folder: its `.md` and `.txt` files by name, each under a heading, 64 KiB in all. Empty where there
 * is none. Throws a usage fault for a folder that cannot be read.
 */
export async function loadMemory(folder: string, cwd: string): Promise<string> {
  const root = resolve(cwd, folder);
  const names = await readdir(root).catch(() => {
    throw usageFault(`--memory "${folder}" is no folder that can be read.`);
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
