import { constants } from 'node:fs';
import { chmod, copyFile, lstat, mkdir, readlink, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import { KernelError } from '@kernel/protocol';
import type { CheckedOptions } from '../check-options.ts';
import type { AgentWorkspace } from '../options.ts';
import { pathWithin } from './path-within.ts';
import { createSkippedFiles } from './skipped-files.ts';
import { createTemporaryFolder } from './temporary-folder.ts';
import { isAllowed, stateInWorkspace, supportsPath } from './workspace-state.ts';

/** A copy of what may be read of a workspace, in a folder of its own that only this user can open. */
export interface WorkspaceCopy {
  /** Its absolute path, without links. */
  readonly folder: string;
  /** What was copied, by path: the states of the original then, and of the copy right after. */
  readonly files: ReadonlyMap<string, { readonly original: string; readonly copied: string }>;
  /** The links that were copied, by path, with where they lead. */
  readonly links: ReadonlyMap<string, string>;
  /** What could not be copied, in sentences that name it. */
  readonly skipped: readonly string[];
  /** Removes it. */
  close(): Promise<void>;
}

const AT_ONCE = 16;
const UNREADABLE = 'Not in the copy, because it cannot be read';
const ODD_NAME = 'Not in the copy, because the workspace does not support its name';

/** Copies what may be read of a workspace. Rejects with `LIMIT_REACHED` if that is too much, and leaves nothing behind then. */
export async function copyWorkspace(
  workspace: AgentWorkspace,
  limits: Pick<CheckedOptions['limits'], 'files' | 'bytes'>,
  signal: AbortSignal,
): Promise<WorkspaceCopy> {
  const { folder, close } = await createTemporaryFolder();
  try {
    return { folder, ...(await copyInto(folder, workspace, limits, signal)), close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function copyInto(
  folder: string,
  workspace: AgentWorkspace,
  limits: Pick<CheckedOptions['limits'], 'files' | 'bytes'>,
  signal: AbortSignal,
): Promise<Pick<WorkspaceCopy, 'files' | 'links' | 'skipped'>> {
  const files = new Map<string, { readonly original: string; readonly copied: string }>();
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

  /** Copies a link that leads to something in the workspace, said relative to the link: then it leads to the copy. */
  const copyLink = async (path: string): Promise<void> => {
    if (workspace.folder === undefined) return;
    const target = await readlink(join(workspace.folder, path)).catch(() => '/');
    if (isAbsolute(target) || pathWithin(folder, join(dirname(path), target)) === undefined) return;
    count(0);
    await symlink(target, join(folder, path));
    links.set(path, target);
  };

  /**
   * Copies one file: as a clone where the file system can, and by reading it through the workspace where that may have
   * something else than the disk. One that cannot be read, or is gone since its folder was listed, is left out.
   */
  const copyOne = async (path: string): Promise<void> => {
    const target = join(folder, path);
    if (!supportsPath(workspace, path)) skipped.add(ODD_NAME, path);
    if (!isAllowed(workspace, 'read', path)) return;
    const original = await stateInWorkspace(workspace, path);
    if (original === 'other') skipped.add(UNREADABLE, path);
    if (typeof original === 'string') return;
    count(original.size);
    try {
      if (original.isSameOnDisk && workspace.folder !== undefined)
        await copyFile(join(workspace.folder, path), target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
      else {
        const { bytes: content, mode } = await workspace.read(path, { signal });
        await writeFile(target, content, { flag: 'wx' });
        await chmod(target, mode & 0o777);
      }
      files.set(path, { original: original.state, copied: await stateOnDisk(target) });
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof Error && 'code' in error && FULL.has(error.code)) throw error;
      await rm(target, { force: true });
      if ((await stateInWorkspace(workspace, path)) !== 'absent') skipped.add(UNREADABLE, path);
    }
  };

  const copyEntry = async (path: string, type: string): Promise<void> => {
    signal.throwIfAborted();
    if (type === 'link') await copyLink(path);
    else if (type === 'file') await copyOne(path);
    else if (type === 'directory') {
      await mkdir(join(folder, path), { mode: 0o755 });
      folders.push(path);
    }
  };
  // A folder that is found is copied later.
  for (const at of folders) {
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
    if (pathWithin(folder, real) !== undefined) continue;
    await rm(join(folder, path));
    links.delete(path);
  }
  return { files, links, skipped: skipped.sentences() };
}

const FULL: ReadonlySet<unknown> = new Set(['ENOSPC', 'EDQUOT', 'EMFILE', 'ENFILE']);

/** Returns the state of a file on disk. */
export async function stateOnDisk(path: string): Promise<string> {
  const { ino, size, mtimeNs, ctimeNs, mode } = await lstat(path, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs, mode].join(':');
}

function tooMuch(what: string, option: string): KernelError {
  return new KernelError('LIMIT_REACHED', `The workspace has ${what}, too much to copy.`, {
    hint: `Exclude folders such as build output by its rules (deny), or raise ${option}.`,
  });
}
