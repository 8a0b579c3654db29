import { existsSync, lstatSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { attempt } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { isInside } from '../../workspace/paths.ts';
import { filesNamedByConfig } from '../analysis/git-programs.ts';
import { heldPlaces, isHeld } from './hold-repository.ts';
import { NETWORK, outermost, programsOn, SYSTEM } from './system-folders.ts';
import type { IsolationRequest } from './types.ts';

/** A path of the file tree of a command. */
export interface Mount {
  readonly path: string;
  /** The last three lie in the workspace and cannot be renamed or removed: writable, read-only, and without content. */
  readonly how: 'read' | 'write' | 'pinned' | 'sealed' | 'empty';
}

interface Row {
  readonly how: Mount['how'];
  /** What it is there for. */
  readonly why: string;
  /** `repository` is what `repositoryOf` returns: it asks Git. */
  paths(this: void, request: IsolationRequest, repository: readonly string[]): readonly string[];
}

/**
 * All that an isolated command finds, in the order of the mounts, on top of an own `/tmp`, a `/proc` of its own processes
 * and `DEVICES`. Every isolation is made of this table.
 */
export const TABLE: readonly Row[] = [
  { how: 'read', why: 'the programs of the system', paths: () => SYSTEM.filter((path) => existsSync(path)) },
  {
    how: 'read',
    why: 'the names and addresses of the network, where it is allowed',
    paths: ({ network }) => (network ? NETWORK.filter((path) => existsSync(path)) : []),
  },
  {
    how: 'read',
    why: 'the folders of the PATH, and what their programs link to',
    paths: ({ variables }) => programsOn(variables['PATH'] ?? ''),
  },
  { how: 'read', why: 'what the caller names', paths: ({ readable }) => readable },
  { how: 'write', why: 'the workspace', paths: ({ folder }) => [folder] },
  {
    how: 'pinned',
    why: 'the folders above what is hidden or read-only, in whose place a command could put others',
    paths: ({ folder, hidden }, repository) => [
      ...new Set([...hidden, ...repository].flatMap((path) => foldersBetween(folder, path))),
    ],
  },
  {
    how: 'sealed',
    why: 'the repository, whose hooks and config Git runs later, also those in the workspace',
    paths: (_request, repository) => repository,
  },
  {
    how: 'empty',
    why: 'the place of a repository that is not there, and what the caller hides',
    paths: ({ folder, gitWritable, hidden }) => [...(gitWritable ? [] : heldPlaces(folder)), ...outermost(hidden)],
  },
];

/** The devices: none that reaches hardware or another program. */
export const DEVICES: readonly string[] = ['null', 'zero', 'full', 'random', 'urandom'];

/** The files of `/proc` that tell of more than the processes of the command. */
export const PROC_EMPTY: readonly string[] = ['kcore', 'key-users', 'keys', 'timer_list'];

/** The folders that an isolation makes anew, whatever a caller names. */
const OWN = ['/dev', '/proc', '/sys'];

/** Returns the mounts for a command. Throws `TOOL_UNAVAILABLE` if a command could replace what must not change. */
export function mountsOf(request: IsolationRequest): readonly Mount[] {
  // What is readable in the workspace is there already, and writable.
  const isThere = (path: string): boolean =>
    path === '/tmp' || [request.folder, ...OWN].some((each) => isInside(each, path, sep));
  const read = rowsOf(request, true).filter(({ path }) => !isThere(path));
  return [
    ...outermost(read.map(({ path }) => path)).map((path) => ({ how: 'read' as const, path })),
    ...workspaceMounts(request),
  ];
}

/** Returns those that make up the workspace, for an isolation whose system is another one. */
export const workspaceMounts = (request: IsolationRequest): readonly Mount[] => rowsOf(request, false);

function rowsOf(request: IsolationRequest, isRead: boolean): readonly Mount[] {
  const rows = TABLE.filter(({ how }) => (how === 'read') === isRead);
  const repository = isRead ? [] : repositoryOf(request);
  return rows.flatMap(({ how, paths }) => paths(request, repository).map((path) => ({ how, path: resolve(path) })));
}

/** Returns the folders between two paths. Throws if one, or `path`, is a link, which no mount protects. */
function foldersBetween(folder: string, path: string): readonly string[] {
  const names = relative(folder, path).split(sep).filter(Boolean);
  const all = names.map((_, index) => join(folder, ...names.slice(0, index + 1)));
  const link = all.find((each) => lstatSync(each, { throwIfNoEntry: false })?.isSymbolicLink() === true);
  if (link === undefined) return all.slice(0, -1);
  throw new KernelError(
    'TOOL_UNAVAILABLE',
    `The isolation cannot protect "${path}": "${link}" is a link, which a command could replace.`,
    { hint: 'Choose a workspace without it, or put a file or a folder in place of the link.' },
  );
}

/**
 * Returns the repository of the folder, and what its config names in the workspace: Git would later run, outside of the
 * isolation, what a command writes there (hooks, the config, a `commondir`). Throws if its name leads to other files
 * that a command could replace: a mount protects neither a link nor the folders above what is mounted. The file of a
 * worktree leads outside.
 */
function repositoryOf({ folder, gitWritable }: IsolationRequest): readonly string[] {
  const git = join(folder, '.git');
  if (gitWritable) return [];
  const found = lstatSync(git, { throwIfNoEntry: false });
  if (found === undefined || isHeld(git)) {
    const head = lstatSync(join(folder, 'HEAD'), { throwIfNoEntry: false });
    if (head?.isDirectory() === false)
      throw unprotected(folder, 'it has a file HEAD and no .git, so Git takes the folder itself for one');
    return isBelowRepository(folder) ? outermost(filesNamedByConfig(folder)) : [];
  }
  if (found.isDirectory() && !existsSync(join(git, 'HEAD')))
    throw unprotected(folder, 'its .git has no HEAD, so Git looks for another one');
  const [, led] = (found.isFile() && /^gitdir:\s*(.+)/.exec(readFileSync(git, 'utf8'))) || [];
  const common = attempt(() => readFileSync(join(git, 'commondir'), 'utf8').trim());
  const leads = [led && resolve(folder, led), common && resolve(git, common)].filter((path) => path !== undefined);
  if (found.isSymbolicLink()) throw unprotected(folder, 'its .git is a link');
  if (leads.some((path) => isInside(folder, path, sep))) throw unprotected(folder, 'its .git leads into the folder');
  return [git, ...outermost(filesNamedByConfig(folder))];
}

function unprotected(folder: string, why: string): KernelError {
  return new KernelError(
    'TOOL_UNAVAILABLE',
    `The isolation cannot protect the repository of "${folder}": ${why}, and a command could replace the repository.`,
    {
      hint: 'Move the repository to .git; one outside of the folder may be named by a file .git with the line "gitdir: PATH". Or pass gitWritable: true.',
    },
  );
}

function isBelowRepository(folder: string): boolean {
  const above = dirname(folder);
  return above !== folder && (existsSync(join(above, '.git')) || isBelowRepository(above));
}
