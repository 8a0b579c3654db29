import { lstat, readdir, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkspaceCopy } from '../copy/copy-workspace.ts';
import type { SkippedFiles } from '../copy/skipped-files.ts';

/** What stays in the copy without being named one by one: the history of a repository, and what a package manager installed. */
const SKIPPED = new Set(['.git', 'node_modules']);
const MAX_ENTRIES = 500_000;

/** Why a file is left that no diff can show. */
export const NOT_TEXT = 'Not brought back, because it is not text that a diff can show';
const IS_LINK = 'Not brought back, because it is a link';

/** The paths of what is in a copy. */
interface FilesInCopy {
  readonly files: ReadonlySet<string>;
  readonly links: ReadonlySet<string>;
}

/** Lists a copy. Links that are new, gone or lead elsewhere are named and left. */
export async function filesIn(copy: WorkspaceCopy, skipped: SkippedFiles, signal: AbortSignal): Promise<FilesInCopy> {
  const files = new Set<string>();
  const folders = [''];
  const links = new Set<string>();
  let count = 0;
  for (let at = folders.pop(); at !== undefined; at = folders.pop()) {
    signal.throwIfAborted();
    const entries = await readdir(join(copy.folder, at), { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const path = at === '' ? entry.name : `${at}/${entry.name}`;
      count += 1;
      if (count > MAX_ENTRIES) {
        skipped.add(`Not looked at, because there are more than ${MAX_ENTRIES} files`, path);
        return { files, links };
      }
      if (entry.isDirectory()) {
        if (!isSkipped(path)) folders.push(path);
      } else if (entry.isFile()) files.add(path);
      else if (entry.isSymbolicLink()) {
        const target = await readlink(join(copy.folder, path)).catch(() => '');
        links.add(path);
        if (copy.links.get(path) !== target) skipped.add(IS_LINK, path);
      } else skipped.add(NOT_TEXT, path);
    }
  }
  for (const path of copy.links.keys())
    if (!links.has(path) && !isSkipped(path) && (await isGone(join(copy.folder, path)))) skipped.add(IS_LINK, path);
  return { files, links };
}

/** Whether what was not found is not there, or a folder by now: a folder that was not listed says nothing about its files. */
export async function isGone(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isDirectory();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    return code === 'ENOENT' || code === 'ENOTDIR';
  }
}

/** Whether a path stays in the copy without being named. */
export function isSkipped(path: string): boolean {
  return path.split('/').some((name) => SKIPPED.has(name));
}
