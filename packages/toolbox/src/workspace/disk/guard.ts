import type { BigIntStats } from 'node:fs';
import { relative, sep } from 'node:path';
import { quote, toolError } from '../errors.ts';
import { isInside } from '../paths.ts';
import type { IsProtected } from './protected-files.ts';
import type { Rules } from '../rules.ts';
import type { Access, FileInfo, FileType, WorkspaceOptions } from '../types.ts';

/** Decides on what was really opened. `asked` is the path as the caller wrote it, for errors. */
export type Guard = ReturnType<typeof createGuard>;

/** What is no place for files, wherever the root is: devices, processes, the system's settings. */
const SYSTEM = ['/proc', '/sys', '/dev'];

interface GuardOptions extends Pick<WorkspaceOptions, 'hardLinks'> {
  readonly state: () => string | undefined;
  /** Whether a file with several names is one that holds credentials; undefined where those may be read. */
  readonly isProtected: IsProtected | undefined;
}

export function createGuard(root: string, rules: Rules, { hardLinks = 'refuse', state, isProtected }: GuardOptions) {
  const place = (real: string, asked: string): string => {
    if (!isInside(root, real, sep))
      throw toolError(`${quote(asked)} leads outside the workspace through a symbolic link, which is not allowed.`);
    if (SYSTEM.some((folder) => isInside(folder, real) && !isInside(folder, root)))
      throw toolError(`${quote(asked)} belongs to the system and is not a file of the workspace.`);
    const own = state();
    if (own !== undefined && isInside(own, real, sep))
      throw toolError(`${quote(asked)} is where the workspace keeps what was replaced; it is not open to tools.`);
    return relative(root, real).split(sep).join('/') || '.';
  };
  return {
    /** The path of something real, relative to the root. Throws if it is outside, or of the system or the workspace's own state. */
    place,
    check: (access: Access, real: string, asked: string): string => {
      const path = place(real, asked);
      rules.check(access, path, asked);
      return path;
    },
    /** Checks a folder that is listed or made on the way to a file, and returns its path relative to the root. */
    checkFolder: (real: string, asked: string): string => {
      const path = place(real, asked);
      rules.checkFolder(path, asked);
      return path;
    },
    /** Throws for a file that has several names, of which another one may be outside, or that of a file with credentials. */
    checkLinks: (access: Access, stats: BigIntStats, path: string, asked: string): void => {
      if (stats.nlink <= 1n || !stats.isFile()) return;
      if (access === 'read' && (hardLinks === 'read' || path.split('/').includes('node_modules'))) {
        if (isProtected?.(stats) === true) throw secretError(asked);
        return;
      }
      throw toolError(
        `${quote(asked)} has ${stats.nlink} names (hard links), of which another one may be outside the workspace, so it is not ${access === 'read' ? 'read' : 'changed'}.`,
      );
    },
    /** Throws if the beginning of a file with several names is that of a private key. */
    checkContent: (stats: BigIntStats, start: Uint8Array, asked: string): void => {
      if (stats.nlink <= 1n || isProtected === undefined) return;
      if (PRIVATE_KEY.test(Buffer.from(start).toString('latin1'))) throw secretError(asked);
    },
  };
}

const PRIVATE_KEY = /^\s{0,100}(?:-----BEGIN [A-Z ]{0,40}PRIVATE KEY|PuTTY-User-Key-File)/;

function secretError(asked: string): Error {
  return toolError(
    `${quote(asked)} is another name (a hard link) of a file that may hold credentials, which the file tools do not open.`,
  );
}

export function infoOf(stats: BigIntStats, path: string): FileInfo {
  const type = typeOf(stats);
  return {
    path,
    type,
    size: type === 'file' ? Number(stats.size) : 0,
    modifiedMs: Number(stats.mtimeNs / 1_000_000n),
    mode: Number(stats.mode & 0o777n),
    version: versionOf(stats),
  };
}

/** See `FileInfo.version`. The time of the last change of the inode is left out, so that a file that is moved stays the same. */
export function versionOf(stats: BigIntStats): string {
  return [stats.dev, stats.ino, stats.size, stats.mtimeNs].map((each) => each.toString(36)).join('.');
}

export function typeOf(stats: Pick<BigIntStats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): FileType {
  if (stats.isFile()) return 'file';
  if (stats.isDirectory()) return 'directory';
  return stats.isSymbolicLink() ? 'link' : 'other';
}
