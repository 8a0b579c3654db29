import type { Workspace } from '../workspace/index.ts';
import { readGlob } from './glob.ts';
import { walkFiles } from './walk-files.ts';

/** Options of `findFiles`. */
export interface FindFilesOptions {
  /** A glob; one without a slash matches the names of files in any folder. Default: every file. */
  readonly pattern?: string | undefined;
  /** The folder to look in. Default: the root of the workspace. */
  readonly path?: string | undefined;
  /** Aborts the search: the generator throws its reason. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Yields the paths of the readable files below a folder, sorted by name within each folder, without `node_modules` and what `.gitignore` ignores.
 * Links are not followed. Throws `TOOL_FAILED` for an invalid glob and for a folder that cannot be listed.
 *
 * @example
 * ```ts
 * import { memoryWorkspace } from '@kernel/toolbox';
 * import { findFiles } from '@kernel/toolbox/files';
 *
 * const workspace = memoryWorkspace({ 'src/a.ts': '', 'README.md': '' });
 * for await (const path of findFiles(workspace, { pattern: '*.ts' })) console.log(path); // src/a.ts
 * ```
 */
export async function* findFiles(workspace: Workspace, options: FindFilesOptions = {}): AsyncGenerator<string, void> {
  const { pattern, path = '.', signal = new AbortController().signal } = options;
  const below = workspace.normalize(path);
  const glob = pattern === undefined ? undefined : await readGlob(workspace, below, pattern, signal);
  for await (const file of walkFiles(workspace, glob?.folder ?? below, signal))
    if (glob === undefined || glob.fits(below === '.' ? file : file.slice(below.length + 1))) yield file;
}
