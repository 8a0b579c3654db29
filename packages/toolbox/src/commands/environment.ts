import { delimiter } from 'node:path';
import { safeFolders } from '../find-program.ts';

/** The environment variables that commands inherit by default. None of them usually contains a secret. */
export const DEFAULT_VARIABLES: readonly string[] = [
  'PATH',
  'HOME',
  'USER',
  'LOGNAME',
  'LANG',
  'LANGUAGE',
  'LC_ALL',
  'LC_CTYPE',
  'TZ',
  'TMPDIR',
  'NO_COLOR',
  'CI',
  // Windows
  'SystemRoot',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERPROFILE',
];

/**
 * Returns the environment of a command: the named variables that are set. Folders of the PATH that are relative or within `folder` are left out,
 * where anyone could have put a program named `git`.
 */
export function commandVariables(
  names: readonly string[],
  folder: string,
  own: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = own[name];
    if (value !== undefined) found[name] = name === 'PATH' ? safeFolders(value, folder).join(delimiter) : value;
  }
  return found;
}
