import { existsSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { createWorkspace, type Workspace } from '@kernel/toolbox/workspace';
import { cacheFolder, configFolder, stateFolder } from '../config/folders.ts';
import { usageError } from '../exit-code.ts';
import { isInside } from '../files/paths.ts';
import type { Host } from '../host.ts';
import { beginRun, undoFolder } from './undo.ts';

/**
 * Opens the folder. What a run replaces is kept in the state folder, in a folder of the run, so that it can be taken back after its end, which is told by `close`. The program's own files are
 * closed to tools, where they are inside: they say what is allowed, and the cache holds code that the next start runs.
 */
export async function openWorkspace(folder: string, host: Host, isWritable: boolean): Promise<Workspace> {
  const refuse = (): never => {
    throw usageError(`--workspace "${folder}" is not a readable folder.`);
  };
  const editor = host.editor?.files;
  const plain = await createWorkspace({ root: folder, editor }).catch(refuse);
  const root = plain.folder ?? folder;
  const deny = ownFolders(host, root).map(exactly);
  if (!isWritable) return deny.length === 0 ? plain : createWorkspace({ root: folder, deny, editor });
  const run = await beginRun(undoFolder(host, root));
  const state = { folder: run.folder };
  const workspace = await createWorkspace({ root: folder, write: ['**'], deny, state, editor }).catch(refuse);
  return { ...workspace, close: async () => run.end() };
}

/** Returns the program's own folders within a folder, relative to it; behind links, by both of their names. */
export function ownFolders(host: Host, root: string): readonly string[] {
  const folders = [configFolder(host), stateFolder(host), cacheFolder(host)];
  const inside = folders.flatMap((folder) => [folder, realPath(folder)]).filter((folder) => isInside(root, folder));
  return [...new Set(inside)].map((folder) => relative(root, folder));
}

/** A path without links, also if nothing is there yet. */
function realPath(path: string): string {
  const parent = dirname(path);
  return existsSync(path) || parent === path ? realpathSync(path) : join(realPath(parent), basename(path));
}

/** The rule about this path, whatever characters its names have. */
function exactly(path: string): string {
  return `./${path
    .split(sep)
    .join('/')
    .replaceAll(/[\\*?[\]{}]/g, String.raw`\$&`)}`;
}
