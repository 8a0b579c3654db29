import { join } from 'node:path';
import { folderWith } from '../workspace/folders.ts';

/** A `SKILL.md` with the given head. */
export function skillMd(head: string, body = '# Steps\n\nDo it.'): string {
  return `---\n${head}\n---\n${body}\n`;
}

/** A folder with one skill in it; returns that of the skill. */
export function skillFolder(name: string, content: string, files: Readonly<Record<string, string>> = {}): string {
  const below = Object.entries(files).map(([path, text]) => [`${name}/${path}`, text]);
  return join(folderWith({ [`${name}/SKILL.md`]: content, ...Object.fromEntries(below) }), name);
}
