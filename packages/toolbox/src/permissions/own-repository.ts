import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { dirname, join, resolve, sep } from 'node:path';
import { isInside } from '../workspace/paths.ts';

/**
 * Whether Git, started in a folder below `root`, uses the repository of the workspace or one around it. Any other one may have come with the files of the
 * workspace: Git runs programs that the config and the hooks of its repository name, also to read.
 */
export function isOwnRepository(root: string, folder: string): boolean {
  try {
    const real = realpathSync.native(root);
    let at = realpathSync.native(join(real, folder));
    for (;;) {
      const git = join(at, '.git');
      if (lstatSync(git, { throwIfNoEntry: false }) !== undefined)
        return !isInside(real, at, sep) || at === real || isInside(gitFolder(join(real, '.git')), gitFolder(git), sep);
      if (isBare(at)) return false;
      const above = dirname(at);
      if (above === at) return true;
      at = above;
    }
  } catch {
    return false;
  }
}

const MAX_FILE = 8192;

/** The Git folder of a `.git`, which in a submodule or a worktree is a file that names it. */
function gitFolder(git: string): string {
  const real = realpathSync.native(git);
  const stats = lstatSync(real);
  if (!stats.isFile()) return real;
  const [, target = ''] = /^gitdir: (.+)/.exec(stats.size > MAX_FILE ? '' : readFileSync(real, 'utf8')) ?? [];
  return realpathSync.native(resolve(dirname(real), target));
}

/** Whether Git takes a folder for a repository by itself: files that a repository brings along can be one. */
function isBare(folder: string): boolean {
  const has = (name: string): boolean => existsSync(join(folder, name));
  return has('HEAD') && (has('commondir') || (has('objects') && has('refs')));
}
