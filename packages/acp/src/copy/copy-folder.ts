import { constants } from 'node:fs';
import {
  chmod,
  copyFile,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  realpath,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, isAbsolute, join, normalize, sep } from 'node:path';
import { KernelError } from '@kernel/protocol';
import type { AgentWorkspace } from '../options.ts';

/** A copy of what may be read of a workspace, in a folder of its own that only this user can open. */
export interface Copy {
  /** Its absolute path, without links. */
  readonly folder: string;
  /** What was copied, by path. */
  readonly files: ReadonlyMap<string, CopiedFile>;
  /** The links that were copied, by path, with where they lead. */
  readonly links: ReadonlyMap<string, string>;
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

/** Copies what may be read of a workspace. Rejects with `LIMIT_REACHED` if that is too much, and leaves nothing behind then. */
export async function copyFolder(workspace: AgentWorkspace, limits: CopyLimits, signal: AbortSignal): Promise<Copy> {
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'kernel-agent-')));
  const close = (): Promise<void> => removeAll(folder);
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
): Promise<Pick<Copy, 'files' | 'links'>> {
  const files = new Map<string, CopiedFile>();
  const links = new Map<string, string>();
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
    } else if (type === 'file' && workspace.allows('read', path)) {
      const copied = await copyOne(workspace, path, join(folder, path), count);
      if (copied !== undefined) files.set(path, copied);
    }
  };
  for (let at = folders.shift(); at !== undefined; at = folders.shift()) {
    signal.throwIfAborted();
    const inside = at === '.' ? '' : `${at}/`;
    // A folder that the rules deny is empty in the copy.
    // oxlint-disable-next-line no-await-in-loop -- one folder after another, its files at once
    const entries = await workspace.list(at, { signal }).catch(() => []);
    for (let from = 0; from < entries.length; from += AT_ONCE) {
      const some = entries.slice(from, from + AT_ONCE);
      // oxlint-disable-next-line no-await-in-loop -- as above
      await Promise.all(some.map(({ name, type }) => copyEntry(inside + name, type)));
    }
  }
  // Each link stays inside by its own words; one that leads out by way of another is no part of the copy.
  for (const path of links.keys()) {
    // oxlint-disable-next-line no-await-in-loop -- there are few
    const real = await realpath(join(folder, path)).catch(() => folder);
    if (real === folder || real.startsWith(folder + sep)) continue;
    // oxlint-disable-next-line no-await-in-loop -- as above
    await rm(join(folder, path));
    links.delete(path);
  }
  return { files, links };
}

/** Copies one file, as a clone where the file system can. One with several names is read through the workspace, which knows whether it may be. */
async function copyOne(
  workspace: AgentWorkspace,
  path: string,
  target: string,
  count: (size: number) => void,
): Promise<CopiedFile | undefined> {
  const original = await stateInWorkspace(workspace, path);
  if (original === undefined) return undefined;
  count(original.size);
  if (original.isPlain && workspace.folder !== undefined)
    await copyFile(join(workspace.folder, path), target, constants.COPYFILE_EXCL | constants.COPYFILE_FICLONE);
  else {
    const file = await workspace.read(path).catch(() => undefined);
    if (file === undefined) return undefined;
    await writeFile(target, file.bytes, { flag: 'wx' });
    await chmod(target, file.mode & 0o777);
  }
  return { original: original.state, copied: await stateOnDisk(target) };
}

/** The state of a file of the workspace; undefined if there is none that may be read. `isPlain`: it is on disk, and has one name. */
export async function stateInWorkspace(
  workspace: AgentWorkspace,
  path: string,
): Promise<{ readonly state: string; readonly size: number; readonly isPlain: boolean } | undefined> {
  if (workspace.folder === undefined) {
    const info = await workspace.stat(path).catch(() => undefined);
    return info?.type === 'file' ? { state: info.version, size: info.size, isPlain: false } : undefined;
  }
  const info = await lstat(join(workspace.folder, path), { bigint: true }).catch(() => undefined);
  if (info?.isFile() !== true) return undefined;
  return { state: stateOf(info), size: Number(info.size), isPlain: info.nlink === 1n };
}

/** The state of a file on disk. */
export async function stateOnDisk(path: string): Promise<string> {
  return stateOf(await lstat(path, { bigint: true }));
}

function stateOf({
  ino,
  size,
  mtimeNs,
  ctimeNs,
  mode,
}: Readonly<Record<'ino' | 'size' | 'mtimeNs' | 'ctimeNs' | 'mode', bigint>>): string {
  return [ino, size, mtimeNs, ctimeNs, mode].join(':');
}

/** Where a link leads, if that is in the workspace and said relative to the link: then it leads to the copy. */
async function linkWithin({ folder }: AgentWorkspace, path: string): Promise<string | undefined> {
  if (folder === undefined) return undefined;
  const target = await readlink(join(folder, path)).catch(() => undefined);
  if (target === undefined || isAbsolute(target)) return undefined;
  const place = normalize(join(dirname(path), target));
  return place === '..' || place.startsWith('../') ? undefined : target;
}

function tooMuch(what: string, option: string): KernelError {
  return new KernelError('LIMIT_REACHED', `The workspace has ${what}, which is too much for a copy.`, {
    hint: `Leave folders out of it by its rules (deny), such as build results, or allow more with ${option}.`,
  });
}

async function removeAll(folder: string): Promise<void> {
  const options = { recursive: true, force: true, maxRetries: 3 };
  await rm(folder, options).catch(async () => {
    // A folder that its owner may not write keeps its entries.
    await makeWritable(folder);
    await rm(folder, options).catch(() => undefined);
  });
}

async function makeWritable(folder: string): Promise<void> {
  await chmod(folder, 0o700).catch(() => undefined);
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  await Promise.all(entries.filter((each) => each.isDirectory()).map(({ name }) => makeWritable(join(folder, name))));
}
