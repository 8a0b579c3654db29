import { createLock } from '@kernel/internal';
import { join } from 'node:path';
import { checkNumber } from '@kernel/protocol';
import { withFileLock } from '../locks/file-lock.ts';
import { toolError } from '../workspace/errors.ts';
import type { DirectoryEntry, Workspace } from '../workspace/index.ts';
import { joinPath, lineage, parentOf } from '../workspace/paths.ts';

/** Limits of a memory. A write that would exceed one fails and says which. */
export interface MemoryLimits {
  /** The maximum size of a file, in bytes. Default 131,072. */
  readonly maxFileBytes?: number | undefined;
  /** The maximum size of all files together, in bytes. Default 16 MiB. */
  readonly maxBytes?: number | undefined;
  /** The maximum number of files and folders. Default 1,000. */
  readonly maxEntries?: number | undefined;
}

const LOCK = '.memory.lock';
/** Only the user reads a memory. */
const MODE = 0o600;

export interface MemoryEntry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number;
}

export type MemoryFiles = ReturnType<typeof memoryFiles>;

export type Previous = 'absent' | { readonly version: string; readonly size: number };

export function memoryFiles(owner: string, workspace: Workspace, limits: MemoryLimits) {
  for (const name of ['maxFileBytes', 'maxBytes', 'maxEntries'] as const) checkNumber(owner, name, limits[name], 1);
  const { maxBytes = 16 * 1024 * 1024, maxEntries = 1000, maxFileBytes = 131_072 } = limits;

  const walk = async (folder: string, most: number, signal: AbortSignal): Promise<readonly MemoryEntry[]> => {
    const found: MemoryEntry[] = [];
    const visit = async (path: string): Promise<number> => {
      let total = 0;
      for (const entry of await listShown(workspace, path, signal)) {
        if (found.length >= most) break;
        const below = joinPath(path, entry.name);
        const at = found.length;
        found.push({ path: below, isFolder: entry.type === 'directory', size: entry.size ?? 0 });
        const size = entry.type === 'directory' ? await visit(below) : (entry.size ?? 0);
        found[at] = { path: below, isFolder: entry.type === 'directory', size };
        total += size;
      }
      return total;
    };
    await visit(folder);
    return found;
  };

  const checkEntries = async (path: string, added: 0 | 1, signal: AbortSignal): Promise<readonly MemoryEntry[]> => {
    const all = await walk('.', maxEntries + 1, signal);
    const known = new Set(all.map((entry) => entry.path));
    const newFolders = lineage(parentOf(path)).filter((folder) => folder !== '.' && !known.has(folder)).length;
    if (all.length + newFolders + (known.has(path) ? 0 : added) > maxEntries)
      throw toolError(`The memory holds at most ${maxEntries} files and folders. Delete what is no longer needed.`);
    return all;
  };

  return {
    workspace,
    /** Throws if a path, which adds so many entries itself, and the folders above it would be too many. Resolves to what there is. */
    checkEntries,
    maxFileBytes,
    exclusive: <T>(path: string, work: () => Promise<T>, signal: AbortSignal): Promise<T> =>
      inTurn(workspace, async () => {
        // If nothing may be written there, neither may a lock file.
        if (workspace.folder === undefined || !workspace.allows('write', path)) return work();
        return withFileLock(join(workspace.folder, LOCK), work, signal);
      }),
    /** Writes a file; `previous` is what it replaces, `absent` if nothing. Throws if that would exceed a limit. */
    write: async (path: string, text: string, previous: Previous, signal: AbortSignal): Promise<void> => {
      const bytes = Buffer.byteLength(text);
      if (bytes > maxFileBytes)
        throw toolError(`The file would have ${bytes} bytes; a memory file has at most ${maxFileBytes}. Shorten it.`);
      const all = await checkEntries(path, 1, signal);
      const replaced = previous === 'absent' ? 0 : previous.size;
      const used = all.reduce((sum, { isFolder, size }) => sum + (isFolder ? 0 : size), 0);
      if (used - replaced + bytes > maxBytes)
        throw toolError(
          `The memory holds at most ${maxBytes} bytes, and ${used} are used. Delete what is no longer needed.`,
        );
      const ifVersion = previous === 'absent' ? previous : previous.version;
      await workspace.write(path, text, { ifVersion, mode: MODE, signal });
    },
    /** Everything below a folder, without hidden items, `node_modules` and links; a folder before what is in it, by name. */
    entries: (folder: string, signal: AbortSignal): Promise<readonly MemoryEntry[]> => walk(folder, maxEntries, signal),
  };
}

async function listShown(
  workspace: Workspace,
  folder: string,
  signal: AbortSignal,
): Promise<readonly DirectoryEntry[]> {
  const entries = await workspace.list(folder, { sizes: true, signal });
  return entries.filter(
    ({ name, type }) => (type === 'file' || type === 'directory') && !name.startsWith('.') && name !== 'node_modules',
  );
}

const locks = new WeakMap<object, ReturnType<typeof createLock>>();

/** Runs one thing after the other for the same owner, within this process. */
function inTurn<T>(owner: object, work: () => Promise<T>): Promise<T> {
  const lock = locks.get(owner) ?? createLock();
  locks.set(owner, lock);
  return lock(work);
}
