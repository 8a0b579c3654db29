import { quote, toolError } from '../workspace/errors.ts';
import type { ReadOptions, Workspace } from '../workspace/index.ts';
import { isHiddenBelow, visibilityBelow, walkFiles } from './walk-files.ts';

/** The files of a workspace that others may see. */
export interface VisibleFiles {
  /** Yields the paths of the files that may be read, without those that a search leaves out: credentials, links, `node_modules` and what a `.gitignore` ignores. */
  list(signal: AbortSignal): AsyncIterable<string>;
  /** Reads a file, if `list` would yield its path. Rejects as a workspace does. */
  read(path: string, options?: ReadOptions): Promise<Uint8Array>;
}

/**
 * Returns what of a workspace can be given to somebody else, by the rules of the workspace and as a search would find it. `serveHttp` and `serveStdio` of
 * `@kernel/mcp` serve it as `content.files`.
 */
export function visibleFiles(workspace: Workspace): VisibleFiles {
  return {
    list: (signal) => walkFiles(workspace, '.', signal),
    async read(path, options) {
      const missing = (): Error => toolError(`There is no ${quote(path)} among the files.`);
      if (workspace.normalize(path) !== path) throw missing();
      const { visibility } = await visibilityBelow(workspace, '.');
      if (await isHiddenBelow(visibility, '.', path)) throw missing();
      const { bytes, path: actual } = await workspace.read(path, options);
      // A link would lead around what is hidden.
      if (actual !== path) throw missing();
      return bytes;
    },
  };
}
