import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import type { AgentWorkspace } from '../options.ts';

/**
 * The folder at a path of the workspace and those below it, deepest first, if they are empty once some files are removed. Undefined for anything that is not a
 * folder, such as a link, and for one in which anything else stays.
 */
export async function emptiedFolders(
  workspace: AgentWorkspace,
  path: string,
  removed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  if (!(await isFolder(workspace, path))) return undefined;
  const folders = [path];
  for (let at = 0; at < folders.length; at += 1) {
    signal.throwIfAborted();
    const folder = folders[at] ?? '';
    // oxlint-disable-next-line no-await-in-loop -- the first thing that stays ends it
    const entries = await workspace.list(folder, { signal }).catch(() => undefined);
    if (entries === undefined) return undefined;
    for (const { name, type } of entries) {
      const inside = `${folder}/${name}`;
      if (type === 'directory') folders.push(inside);
      else if (type !== 'file' || !removed.has(inside)) return undefined;
    }
  }
  return folders.toReversed();
}

async function isFolder(workspace: AgentWorkspace, path: string): Promise<boolean> {
  const { folder } = workspace;
  // A workspace follows links.
  if (folder !== undefined) return (await lstat(join(folder, path)).catch(() => undefined))?.isDirectory() === true;
  return (await workspace.stat(path).catch(() => undefined))?.type === 'directory';
}
