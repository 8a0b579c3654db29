import { sep } from 'node:path';

/** Whether an absolute path is a folder or below it. Neither may contain links or `..`. */
export function isInside(folder: string, absolute: string): boolean {
  return absolute === folder || absolute.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}
