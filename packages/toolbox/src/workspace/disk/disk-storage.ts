import {
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
  closeSync,
  constants,
  read,
  readSync,
} from 'node:fs';
import { join } from 'node:path';
import { KernelError } from '@kernel/protocol';
import { codeOf, missingError, quote, reasonOf, toolError, unlessMissing } from '../errors.ts';
import { nameOf, normalizePath, parentOf } from '../paths.ts';
import type { Rules } from '../rules.ts';
import type { Storage, Range } from '../storage.ts';
import { type Guard, infoOf, typeOf } from './guard.ts';
import { type OpenPath, openPath } from './open-path.ts';
import { isTemporary, replaceFile } from './replace-file.ts';
import type { DirectoryEntry, ListOptions, FileContent } from '../types.ts';
import { promisify } from 'node:util';

const KEY_START_BYTES = 256;

interface DiskOptions {
  readonly root: string;
  /** The folder as the caller named it, absolute: paths may begin with it too. */
  readonly alias: string;
  readonly rules: Rules;
  readonly guard: Guard;
}

export function diskStorage({ root, alias, rules, guard }: DiskOptions): Storage {
  const absolute = (path: string) => (path === '.' ? root : join(root, path));

  /** Opens, does something and closes; errors of the system become those of the model. */
  const opened = async <T>(
    path: string,
    isEntry: boolean,
    use: (at: OpenPath) => T | Promise<T>,
    asked = path,
  ): Promise<T> => {
    let at: OpenPath | undefined;
    try {
      at = openPath(absolute(path), isEntry);
      return await use(at);
    } catch (error) {
      throw KernelError.is(error) || codeOf(error) === '' ? error : systemError(asked, error);
    } finally {
      at?.close();
    }
  };

  /** The opened folder of an entry that is to be changed, and the entry's path, checked. */
  const inFolder = <T>(path: string, use: (folder: OpenPath, name: string, place: string) => T | Promise<T>) =>
    opened(
      parentOf(path),
      false,
      (folder) => {
        if (path === '.') throw toolError('The root of the workspace itself cannot be changed.');
        const name = nameOf(path);
        return use(folder, name, guard.check('write', join(folder.real, name), path));
      },
      path,
    );

  const storage: Storage = {
    folder: root,
    normalize: (path) => normalizePath(path, [root, alias], process.platform === 'win32'),
    allows: (access, path) => rules.allows(access, path),
    check: (access, path) => rules.check(access, path, path),
    find: (path, { entry = false } = {}) =>
      unlessMissing(opened(path, entry, ({ real, stats }) => infoOf(stats, guard.checkFolder(real, path)))),
    read: (path, range) =>
      opened(path, false, async (at) => {
        const place = guard.check(range.access, at.real, path);
        guard.checkLinks(range.access, at.stats, place, path);
        if (at.stats.nlink > 1n && at.stats.isFile()) {
          const start = { ...range, start: 0, length: KEY_START_BYTES, maxBytes: KEY_START_BYTES };
          guard.checkContent(at.stats, (await readOpened(at, { ...start, asked: path, place })).bytes, path);
        }
        return readOpened(at, { ...range, asked: path, place });
      }),
    list: (path, options) =>
      opened(path, false, (at) => {
        guard.checkFolder(at.real, path);
        if (!at.stats.isDirectory()) throw toolError(`${quote(path)} is a file, not a folder.`);
        return listFolder(at, options);
      }),
    replace: (path, bytes, { before, mode, onVersion, signal }) =>
      inFolder(path, (folder, name, place) => {
        if (before !== undefined) checkReplaced(folder, name, place, path);
        // The folder may have been moved out since it was opened: what counts is where it is when the new file gets its name.
        const check = () => void guard.check('write', join(folder.now() ?? '', name), path);
        return replaceFile(folder, {
          asked: path,
          path: place,
          name,
          bytes,
          before,
          mode: mode ?? before?.mode,
          signal,
          onVersion,
          check,
        });
      }),
    makeFolder: (path, { holds = '', mode = 0o777 } = {}) =>
      opened(
        parentOf(path),
        false,
        (folder) => {
          guard.check('write', join(folder.real, nameOf(path), holds), path);
          mkdirSync(folder.entry(nameOf(path)), mode);
        },
        path,
      ),
    removeFile: (path) => inFolder(path, (folder, name) => unlinkSync(folder.entry(name))),
    removeFolder: (path) =>
      inFolder(path, (folder, name) => {
        removeLeftovers(folder.entry(name));
        rmdirSync(folder.entry(name));
      }),
    rename: (from, to) =>
      inFolder(from, (source, name, sourcePlace) =>
        inFolder(to, (target, newName, targetPlace) => {
          // What is below a folder was checked by these paths; a folder above may be another one by now.
          if (sourcePlace !== from || targetPlace !== to)
            throw toolError(`${quote(from)} changed meanwhile; nothing was moved. Try again.`);
          const isTaken = lstatSync(target.entry(newName), { throwIfNoEntry: false }) !== undefined;
          if (isTaken) throw toolError(`${quote(to)} exists already; nothing was moved.`);
          renameSync(source.entry(name), target.entry(newName));
        }),
      ),
    readLink: (path) => inFolder(path, (folder, name) => readlinkSync(folder.entry(name))),
    makeLink: (path, target) => inFolder(path, (folder, name) => symlinkSync(target, folder.entry(name))),
  };

  function checkReplaced(folder: OpenPath, name: string, place: string, asked: string): void {
    const stats = lstatSync(folder.entry(name), { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return;
    if (!stats.isFile()) throw toolError(`${quote(asked)} is not a file.`);
    guard.checkLinks('write', stats, place, asked);
  }

  return storage;
}

/** Removes what a killed process left of files that it was writing: lists do not show it. */
function removeLeftovers(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return;
  for (const name of readdirSync(folder).filter(isTemporary)) unlinkSync(join(folder, name));
}

function systemError(path: string, error: unknown): KernelError {
  return codeOf(error) === 'ENOENT'
    ? missingError(path, error)
    : toolError(`${quote(path)}: ${reasonOf(error)}.`, error);
}

function listFolder(folder: OpenPath, { sizes = false }: ListOptions): readonly DirectoryEntry[] {
  const self = folder.self();
  return readdirSync(self, { withFileTypes: true })
    .filter(({ name }) => !isTemporary(name))
    .map((entry): DirectoryEntry => {
      if (!sizes || !entry.isFile()) return { name: entry.name, type: typeOf(entry) };
      const stats = lstatSync(join(self, entry.name), { throwIfNoEntry: false });
      return { name: entry.name, type: 'file', ...(stats === undefined ? {} : { size: stats.size }) };
    });
}

/** Below this, reading at once costs less than waiting for it. */
const MAX_AT_ONCE = 262_144;

const readSome = promisify(read);

async function readOpened(
  at: OpenPath,
  { asked, length, maxBytes, place, signal, start }: Range & { readonly asked: string; readonly place: string },
): Promise<FileContent> {
  if (!at.stats.isFile()) throw toolError(`${quote(asked)} is not a file.`);
  const fd = at.reopen(constants.O_RDONLY);
  try {
    const info = infoOf(at.stats, place);
    const wanted = Math.max(0, Math.min(info.size - start, length ?? Infinity));
    if (wanted > maxBytes)
      throw toolError(`${quote(asked)} has ${info.size} bytes; at most ${maxBytes} are read at once. Read a range.`);
    const bytes = Buffer.allocUnsafe(wanted);
    let filled = 0;
    while (filled < wanted) {
      signal?.throwIfAborted();
      const count =
        wanted <= MAX_AT_ONCE
          ? readSync(fd, bytes, filled, wanted - filled, start + filled)
          : (await readSome(fd, bytes, filled, Math.min(wanted - filled, 8_388_608), start + filled)).bytesRead;
      if (count === 0) break;
      filled += count;
    }
    return { ...info, bytes: bytes.subarray(0, filled) };
  } finally {
    closeSync(fd);
  }
}
