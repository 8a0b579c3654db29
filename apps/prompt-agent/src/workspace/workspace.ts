import type { Dirent, Stats } from 'node:fs';
import { constants, type FileHandle, lstat, open, readdir, readlink, realpath, stat } from 'node:fs/promises';
import { isAbsolute, relative, resolve, sep } from 'node:path';
import { isInside } from '../files/is-inside.ts';
import { mayHoldCredentials } from './credential-names.ts';
import { nearestPath } from './nearest-path.ts';
import { toolError } from '../tool-error.ts';

/** The folder that the file tools may see, except what usually holds credentials (`credential-names.ts`). Nothing outside of it is accessible. */
export interface Workspace {
  /** The folder, absolute and without symbolic links. */
  readonly root: string;
  /** Returns the real absolute path of something inside. Throws if the path leaves the workspace, is private or does not exist. */
  locate(path: string): Promise<string>;
  /** Opens a file inside for reading; the caller closes it. The opened file is the checked file, even if links change in between. */
  openFile(path: string): Promise<{ readonly file: FileHandle; readonly stats: Stats }>;
  /** Lists a folder inside, in no particular order. */
  readFolder(path: string): Promise<readonly Dirent[]>;
  /** Whether an absolute path inside usually holds credentials, or is below something that does. */
  isPrivate(absolute: string): boolean;
  /** Returns the path relative to the root, with `/`; `.` for the root itself. */
  show(absolute: string): string;
}

/** Creates the workspace of a folder. Throws if there is no such folder. */
export async function createWorkspace(folder: string): Promise<Workspace> {
  const root = await realpath(resolve(folder));
  if (!(await stat(root)).isDirectory()) throw new Error(`The workspace "${folder}" is not a folder.`);
  const show = (absolute: string) => relative(root, absolute).split(sep).join('/') || '.';

  const mayShow = (absolute: string) => isInside(root, absolute) && !mayHoldCredentials(absolute);

  const locate = async (path: string): Promise<string> => {
    if (path.includes('\0')) throw toolError(`The path ${JSON.stringify(path)} contains a NUL character.`);
    if (isAbsolute(path) || /^[A-Za-z]:|^\\\\/.test(path)) {
      throw toolError(
        `"${path}" is an absolute path; only paths inside the workspace are allowed, such as "src/index.ts".`,
      );
    }
    const wanted = resolve(root, path);
    if (!isInside(root, wanted)) throw toolError(`"${path}" leaves the workspace; only paths inside it are allowed.`);
    refusePrivate(path, wanted);
    const real = await realpath(wanted).catch(async (error: unknown) => {
      const near = await nearestPath(wanted, mayShow);
      const hint = near === undefined ? '' : ` Did you mean "${show(near)}"?`;
      throw toolError(`There is no "${path}" in the workspace${reason(error)}.${hint}`);
    });
    if (!isInside(root, real))
      throw toolError(`"${path}" leads outside the workspace through a symbolic link, which is not allowed.`);
    refusePrivate(path, real);
    return real;
  };

  /** Opens what was checked. A parent folder may have become a link in between, so the opened file is checked again. */
  const openChecked = async (path: string, flags: number): Promise<FileHandle> => {
    const real = await locate(path);
    const handle = await open(real, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | flags).catch(
      (error: unknown) => {
        throw toolError(`"${path}" cannot be opened${reason(error)}.`);
      },
    );
    try {
      const now = await openedPath(handle);
      const isSame = now === undefined ? await isStillAt(handle, await locate(path)) : mayShow(now);
      if (!isSame) throw toolError(`"${path}" changed while it was being opened.`);
      return handle;
    } catch (error) {
      await handle.close();
      throw error;
    }
  };

  const openFile = async (path: string): Promise<{ readonly file: FileHandle; readonly stats: Stats }> => {
    // O_NONBLOCK: a pipe in place of the file cannot block the call.
    const file = await openChecked(path, constants.O_NONBLOCK ?? 0);
    const stats = await file.stat();
    if (stats.isFile()) return { file, stats };
    await file.close();
    throw toolError(`"${path}" is not a file.`);
  };

  const readFolder = async (path: string): Promise<readonly Dirent[]> => {
    if (process.platform !== 'linux') return readdir(await locate(path), { withFileTypes: true });
    const handle = await openChecked(path, constants.O_NONBLOCK);
    try {
      if (!(await handle.stat()).isDirectory()) throw toolError(`"${path}" is a file, not a folder.`);
      return await readdir(`/proc/self/fd/${handle.fd}`, { withFileTypes: true });
    } finally {
      await handle.close();
    }
  };
  // The whole path counts: a workspace within a folder of keys is as private as one around it.
  return { root, locate, openFile, readFolder, isPrivate: mayHoldCredentials, show };
}

function refusePrivate(path: string, absolute: string): void {
  if (mayHoldCredentials(absolute))
    throw toolError(`"${path}" may hold credentials, which the file tools do not open.`);
}

/** The path of an open file according to the operating system, on platforms that tell it. */
async function openedPath(handle: FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  return readlink(`/proc/self/fd/${handle.fd}`).catch(() => undefined);
}

/** The best check on other platforms: the path still leads to the opened file. */
async function isStillAt(handle: FileHandle, real: string): Promise<boolean> {
  const [opened, now] = await Promise.all([handle.stat(), lstat(real)]);
  return opened.ino === now.ino && opened.dev === now.dev;
}

function reason(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return code === 'EACCES' ? ' (permission denied)' : code === 'ELOOP' ? ' (its links form a circle)' : '';
}
