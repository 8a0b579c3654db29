import { posix } from 'node:path';
import { quote, toolError } from './errors.ts';

/** Whether an absolute path is a folder or below it. Neither may contain links or `..`; `separator` is that of the paths. */
export function isInside(folder: string, absolute: string, separator = '/'): boolean {
  return absolute === folder || absolute.startsWith(folder.endsWith(separator) ? folder : folder + separator);
}

/**
 * Returns a path relative to the root, without `.` and `..`, and `.` for the root. `roots` are the absolute paths of the root, for paths that begin with
 * one of them. Throws if the path leaves the workspace, is absolute elsewhere, or cannot be the path of a file.
 */
export function normalizePath(path: string, roots: readonly string[], isWindows = false): string {
  if (path.includes('\0')) throw toolError(`The path ${quote(path)} contains a NUL character.`);
  const text = isWindows ? path.replaceAll('\\', '/') : path;
  const relative = relativeTo(
    text,
    roots.map((root) => (isWindows ? root.replaceAll('\\', '/') : root)),
  );
  if (relative === undefined || /^(?:[/\\]|[A-Za-z]:|\\\\)/.test(relative))
    throw toolError(
      `${quote(path)} is an absolute path outside of the workspace; only paths inside it are allowed, such as "src/index.ts".`,
    );
  const normal = posix.normalize(relative).replace(/\/$/, '');
  if (normal === '..' || normal.startsWith('../'))
    throw toolError(`${quote(path)} leaves the workspace; only paths inside it are allowed.`);
  if (isWindows && normal !== '.' && normal.split('/').some((name) => /[. ]$/.test(name) || name.includes(':')))
    throw toolError(
      `${quote(path)} has a name that ends in a dot or a space, or holds a colon, which Windows reads as another one.`,
    );
  return normal === '' ? '.' : normal;
}

function relativeTo(path: string, roots: readonly string[]): string | undefined {
  if (!path.startsWith('/') && !/^[A-Za-z]:/.test(path)) return path;
  const clean = path.startsWith('/') ? posix.normalize(path) : path;
  const root = roots.find((each) => isInside(each, clean));
  return root === undefined ? undefined : clean.slice(root.length).replace(/^\/+/, '') || '.';
}

export function parentOf(path: string): string {
  return posix.dirname(path);
}

export function nameOf(path: string): string {
  return posix.basename(path);
}

export function joinPath(folder: string, name: string): string {
  return folder === '.' ? name : `${folder}/${name}`;
}

/** The folders above a normalized path and the path itself, from the top; without the root, unless it is the path. */
export function lineage(path: string): readonly string[] {
  const names = path.split('/');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}
