import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { attempt } from '@kernel/internal';
import type { AgentWorkspace } from '../options.ts';
import { isFolder } from './path-within.ts';

/** A file of a workspace as it is now. */
export interface FileState {
  /** Changes with its content and its mode. */
  readonly state: string;
  readonly size: number;
  /** Whether the file on disk is what the workspace would read, and has one name. */
  readonly isSameOnDisk: boolean;
}

/** Returns the state of the file at a path; `absent` if there is nothing, and `other` for anything but a readable file. */
export async function stateInWorkspace(
  workspace: AgentWorkspace,
  path: string,
): Promise<FileState | 'absent' | 'other'> {
  const { folder } = workspace;
  const info = await workspace.stat(path).catch(() => undefined);
  if (folder === undefined) {
    if (info === undefined) return 'absent';
    return info.type === 'file' ? { state: stateOf(info), size: info.size, isSameOnDisk: false } : 'other';
  }
  const onDisk = await lstat(join(folder, path), { bigint: true }).catch(() => undefined);
  if (onDisk === undefined) return 'absent';
  if (info?.type !== 'file' || !onDisk.isFile()) return 'other';
  // Any other version, such as that of an unsaved text in an editor, is read through the workspace.
  const version = [onDisk.dev, onDisk.ino, onDisk.size, onDisk.mtimeNs].map((each) => each.toString(36)).join('.');
  return { state: stateOf(info), size: info.size, isSameOnDisk: onDisk.nlink === 1n && info.version === version };
}

function stateOf({ version, mode }: { readonly version: string; readonly mode: number }): string {
  return `${version} ${mode & 0o777}`;
}

/** Whether a workspace can have a path: not every one can have `a:b`, for example. */
export function supportsPath(workspace: AgentWorkspace, path: string): boolean {
  return attempt(() => workspace.allows('read', path)) !== undefined;
}

/** Whether the rules of a workspace allow an access to a path. A name that the workspace cannot have is not allowed. */
export function isAllowed(workspace: AgentWorkspace, access: 'read' | 'write', path: string): boolean {
  return attempt(() => workspace.allows(access, path)) === true;
}

/**
 * Returns the folder at a path and those below it, deepest first, if they are empty once some files are removed.
 * Undefined for anything that is not a folder, such as a link, and for one in which anything else stays.
 */
export async function emptiedFolders(
  workspace: AgentWorkspace,
  path: string,
  removed: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<readonly string[] | undefined> {
  const isThere =
    workspace.folder === undefined
      ? (await workspace.stat(path).catch(() => undefined))?.type === 'directory'
      : // A workspace follows links.
        await isFolder(join(workspace.folder, path));
  if (!isThere) return undefined;
  const folders = [path];
  // A folder that is found is looked through later.
  for (const folder of folders) {
    const entries = await workspace.list(folder, { signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (entries === undefined) return undefined;
    for (const { name, type } of entries) {
      const inside = `${folder}/${name}`;
      if (type === 'directory') folders.push(inside);
      else if (type !== 'file' || !removed.has(inside)) return undefined;
    }
  }
  return folders.toReversed();
}
