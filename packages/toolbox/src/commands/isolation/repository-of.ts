import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The repository of a folder, to be mounted read-only: what a command writes there (hooks, the config, a `commondir`) Git would run later, outside of the
 * isolation. Of a worktree it is a file, which names the repository; a link counts as what it leads to.
 */
export function repositoryOf(folder: string): readonly string[] {
  const git = join(folder, '.git');
  return existsSync(git) ? [realpathSync(git)] : [];
}
