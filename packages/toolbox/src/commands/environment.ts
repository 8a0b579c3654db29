import { delimiter } from 'node:path';
import { programFolders } from '@kernel/internal';

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
 * Returns the environment of a command: the named variables that are set. Folders of the PATH that are relative, within `folder` or a repository
 * around it are left out: anyone could have put a program named `git` there.
 */
export function commandVariables(
  names: readonly string[],
  folder: string,
  own: Readonly<Record<string, string | undefined>> = process.env,
): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  for (const name of names) {
    const value = own[name];
    if (value !== undefined)
      found[name] = name === 'PATH' ? programFolders({ path: value, workspace: folder }).join(delimiter) : value;
  }
  return found;
}
