import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { KernelError } from '@kernel/protocol';
import { createSkippedFiles, type SkippedFiles } from './skipped-files.ts';
import type { AgentWorkspace } from '../options.ts';
import { createTemporaryFolder } from './temporary-folder.ts';
import { isAllowed, stateInWorkspace, supportsPath } from './workspace-state.ts';

/** A copy of what may be read of a workspace, in a folder of its own that only this user can open. */
export interface WorkspaceCopy {
  /** Its absolute path, without links. */
  readonly folder: string;
  /** What was copied, by path. */
  readonly files: ReadonlyMap<string, CopiedFile>;
  /** The links that were copied, by path, with where they lead. */
  readonly links: ReadonlyMap<string, string>;
  /** What could not be copied, in sentences that name it. */
  readonly skipped: readonly string[];
  /** Removes it. */
  close(): Promise<void>;
}

/** One file that was copied. */
export interface CopiedFile {
  /** The state of the original when it was copied. */
  readonly original: string;
  /** The state of the copy right after. */
  readonly copied: string;
}

interface CopyLimits {
  readonly files: number;
  readonly bytes: number;
}

const AT_ONCE = 16;
const UNREADABLE = 'Not in the copy, because it cannot be read';
const ODD_NAME = 'Not in the copy, because the workspace does not support its name';

/** Copies what may be read of a workspace. Rejects with `LIMIT_REACHED` if that is too much, and leaves nothing behind then. */
export async function copyWorkspace(
  workspace: AgentWorkspace,
  limits: CopyLimits,
  signal: AbortSignal,
): Promise<WorkspaceCopy> {
  const { folder, close } = await createTemporaryFolder();
  try {
    return { folder, ...(await copyAll(workspace, folder, limits, signal)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function copyAll(
  workspace: AgentWorkspace,
  folder: string,
  limits: CopyLimits,
  signal: AbortSignal,
): Promise<Pick<WorkspaceCopy, 'files' | 'links' | 'skipped'>> {
  const files = new Map<string, CopiedFile>();
  const links = new Map<string, string>();
  const skipped = createSkippedFiles();
  const folders = ['.'];
  let bytes = 0;
  let found = 0;
  const count = (size: number): void => {
    found += 1;
    bytes += size;
    if (found > limits.files) throw tooMuch(`more than ${limits.files} files`, 'limits.files');
    if (bytes > limits.bytes) throw tooMuch(`more than ${limits.bytes} bytes`, 'limits.bytes');
  };
  const copyEntry = async (path: string, type: string): Promise<void> => {
    signal.throwIfAborted();
    if (type === 'directory') {
      await mkdir(join(folder, path), { mode: 0o755 });
      folders.push(path);
    } else if (type === 'link') {
      const target = await linkWithin(workspace, path);
      if (target === undefined) return;
      count(0);
      await symlink(target, join(folder, path));
      links.set(path, target);
    } else if (type === 'file') {
      const copied = await copyOne(workspace, path, join(folder, path), { count, skipped, signal });
      if (copied !== undefined) files.set(path, copied);
    }
  };
  for (let at = folders.shift(); at !== undefined; at = folders.shift()) {
    signal.throwIfAborted();
    const inside = at === '.' ? '' : `${at}/`;
    // A folder that the rules deny is empty in the copy.
    const entries = await workspace.list(at, { signal }).catch(() => []);
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const some = entries.slice(from, from + AT_ONCE);
      await Promise.all(some.map(({ name, type }) => copyEntry(inside + name, type)));
    }
  }
  // The target of each link is inside by its own text; one that leads outside through another link is removed.
  for (const path of links.keys()) {
    const real = await realpath(join(folder, path)).catch(() => folder);
    if (real === folder || real.startsWith(folder + sep)) continue;
    await rm(join(folder, path));
    links.delete(path);
  }
  return { files, links, skipped: skipped.sentences() };
}

interface Copying {
  readonly count: (size: number) => void;
  readonly skipped: SkippedFiles;
  readonly signal: AbortSignal;
}

/**
 * Copies one file: as a clone where the file system can, and by reading it through the workspace where that may have something else than the disk. One that
 * cannot be read, or is gone since its folder was listed, is left out.
 */
async function copyOne(
  workspace: AgentWorkspace,
  path: string,
  target: string,
  { count, skipped, signal }: Copying,
): Promise<CopiedFile | undefined> {
  if (!supportsPath(workspace, path)) skipped.add(ODD_NAME, path);
  if (!isAllowed(workspace, 'read', path)) return undefined;
  const original = await stateInWorkspace(workspace, path);
  if (original === 'absent') return undefined;
  if (original === 'other') {
    skipped.add(UNREADABLE, path);
    return undefined;
  }
  count(original.size);
  try {
    if (original.isSameOnDisk && workspace.folder !== undefined)
      await copyFile(join(workspace.folder, path), target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
    else {
      const { bytes, mode } = await workspace.read(path, { signal });
      await writeFile(target, bytes, { flag: 'wx' });
      await chmod(target, mode & 0o777);
    }
    return { original: original.state, copied: await stateOnDisk(target) };
  } catch (error) {
    signal.throwIfAborted();
    if (isFull(error)) throw error;
    await rm(target, { force: true });
    if ((await stateInWorkspace(workspace, path)) !== 'absent') skipped.add(UNREADABLE, path);
    return undefined;
  }
}

function isFull(error: unknown): boolean {
  return (
    error instanceof Error && 'code' in error && ['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE'].includes(String(error.code))
  );
}

/** The state of a file on disk. */
export async function stateOnDisk(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs, mode } = await lstat(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs, mode].join(':');
}

/** Where a link leads, if that is in the workspace and said relative to the link: then it leads to the copy. */
async function linkWithin({ folder }: AgentWorkspace, path: string): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  const target = await readlink(join(folder, path)).catch(() => undefined);
  if (target === undefined || isAbsolute(target)) return undefined;
  const normalized = normalize(join(dirname(path), target));
  return normalized === '..' || normalized.startsWith('../') ? undefined : target;
}

function tooMuch(what: string, option: string): KernelError {
  return new KernelError('LIMIT_REACHED', `The workspace has ${what}, too much to copy.`, {
    hint: `Exclude folders such as build output by its rules (deny), or raise ${option}.`,
  });
}
