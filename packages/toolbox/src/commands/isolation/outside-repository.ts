import { existsSync, lstatSync, readFileSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve, sep } from 'node:path';
import { attempt } from '@kernel/internal';
import { isInside } from '../../workspace/paths.ts';
import { gitIn } from '../analysis/git-programs.ts';

/** What of a repository outside of the workspace a command may read. */
export interface OutsideRepository {
  readonly paths: readonly string[];
  /** Whether the workspace is a part of it: Git takes the other files for deleted. */
  readonly isPart: boolean;
}

/**
 * What the work trees of a repository share. Each other folder in it belongs to one of them, or is no part of the
 * repository.
 */
const SHARED = ['HEAD', 'config', 'info', 'logs', 'objects', 'packed-refs', 'refs', 'reftable', 'shallow'];

/**
 * Finds what the repository of `cwd` has outside of the workspace `folder`, which Git needs: of a linked work tree, of
 * a submodule, or of a repository around the workspace. Both are absolute and without links.
 *
 * Anybody may have written a `.git` in the workspace, to name any folder. So the other side has to name this `.git`,
 * which no command can make it do, all of it has to belong to the owner of the workspace, and no link leads to it. A
 * repository around the workspace has to have files of it, and is none that fills the home folder.
 */
export function repositoryOutside(folder: string, cwd: string): OutsideRepository | undefined {
  return attempt(() => {
    const top = topOf(cwd);
    if (top === undefined) return undefined;
    const git = join(top, '.git');
    const isPart = !isInside(folder, top, sep);
    if (isPart && (isInside(top, homedir(), sep) || !isTracked(folder))) return undefined;
    const found = lstatSync(git).isDirectory() ? whole(git) : linkedFrom(folder, git);
    const outside = (isPart ? [git, ...found] : found).filter((path) => !isInside(folder, path, sep));
    const { uid } = lstatSync(folder);
    const isSafe = found.length > 0 && outside.length > 0 && outside.every((path) => lstatSync(path).uid === uid);
    return isSafe ? { paths: [...new Set(outside)], isPart } : undefined;
  });
}

/** The closest folder from here up that Git takes for the top of a work tree. */
function topOf(folder: string): string | undefined {
  const git = lstatSync(join(folder, '.git'), { throwIfNoEntry: false });
  const isTop = git?.isFile() === true || (git?.isDirectory() === true && existsSync(join(folder, '.git/HEAD')));
  if (isTop) return folder;
  return git?.isSymbolicLink() === true || dirname(folder) === folder ? undefined : topOf(dirname(folder));
}

/** Whether the last commit has files below a folder. */
function isTracked(folder: string): boolean {
  return gitIn(folder, folder)?.('', 'rev-parse', '--quiet', '--verify', 'HEAD:./') !== undefined;
}

/** What the folder that a file `.git` names has to show; nothing if that one knows nothing of this file. */
function linkedFrom(folder: string, git: string): readonly string[] {
  const text = readFileSync(git, 'utf8');
  const led = text.startsWith('gitdir: ') ? text.slice('gitdir: '.length).trimEnd() : '';
  const own = resolve(dirname(git), led);
  if (led === '' || realpathSync(own) !== own) return [];
  const pathIn = (name: string): string | undefined =>
    lstatSync(join(own, name)).isFile() ? resolve(own, readFileSync(join(own, name), 'utf8').trim()) : undefined;
  if (existsSync(join(own, 'commondir'))) {
    const common = dirname(dirname(own));
    const isKnown =
      basename(dirname(own)) === 'worktrees' && pathIn('commondir') === common && pathIn('gitdir') === git;
    return isKnown && isRepository(common) ? [own, ...SHARED.map((name) => join(common, name)).filter(isPlain)] : [];
  }
  const config = ['config', '--file', join(own, 'config'), '--no-includes', 'core.worktree'];
  const tree = gitIn(folder, own)?.('', ...config)?.replace(/\n$/, '');
  return tree !== undefined && resolve(own, tree) === dirname(git) ? whole(own) : [];
}

function whole(repository: string): readonly string[] {
  return isRepository(repository) && !existsSync(join(repository, 'commondir')) ? [repository] : [];
}

function isRepository(folder: string): boolean {
  const isFolder = (name: string): boolean => lstatSync(join(folder, name)).isDirectory();
  return lstatSync(join(folder, 'HEAD')).isFile() && isFolder('objects') && isFolder('refs');
}

/** Whether something is there that is no link, which a mount would follow. */
function isPlain(path: string): boolean {
  const stats = lstatSync(path, { throwIfNoEntry: false });
  return stats !== undefined && !stats.isSymbolicLink();
}
