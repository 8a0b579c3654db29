import { dirname, sep } from 'node:path';
import type { Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** The most source files that may stand side by side in one folder. */
export const MAX_FILES = 20;

/** Folders: at most `MAX_FILES` files flat in a folder of sources. */
export const folders: Rule = (root) => {
  const counts = new Map<string, number>();
  for (const file of sourceFiles(root)) {
    const folder = dirname(file).split(sep).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return [...counts]
    .filter(([, count]) => count > MAX_FILES)
    .map(([folder, count]) => ({
      rule: 'folders',
      file: folder,
      message: `holds ${count} files; at most ${MAX_FILES}. Divide it by idea.`,
    }));
};
