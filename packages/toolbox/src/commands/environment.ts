import { delimiter, resolve } from 'node:path';
import { programFolders, findOnPath, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import { FOLDER_CHANGERS } from './analysis/analyze-command.ts';
import type { IsolationRequest } from './isolation/types.ts';

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

/**
 * Returns the path of a program that runs without isolation. One that is only named is looked up in the folders of its `PATH` where nobody else can have put it;
 * `isPathTrusted` says that the caller chose those folders. Throws `TOOL_FAILED` if none has it.
 */
export function resolveProgram(
  name: string,
  { cwd, folder, variables }: Omit<IsolationRequest, 'command'>,
  isPathTrusted: boolean,
): string {
  if (/[/\\]/.test(name)) return resolve(cwd, name);
  const found = findOnPath(name, { workspace: folder, path: variables['PATH'] ?? '', isPathTrusted });
  if (found !== undefined) return found;
  throw new KernelError(
    'TOOL_FAILED',
    `${JSON.stringify(sliceHead(name, 200))} cannot be started: there is no such program on the PATH.`,
    { hint: 'A program in the workspace, or in a repository around it, is started by its path, such as ["./run"].' },
  );
}

const SHELL_WORDS = /^(?:source|export|unset|alias)$/;

/**
 * Throws `TOOL_FAILED`, with what to do, for a command that only a shell knows: as a program it is missing, or has no
 * effect.
 */
export function refuseShellWords([name = '', ...args]: readonly string[]): void {
  const hint = hintForShellWord(name, args);
  if (hint === undefined) return;
  throw new KernelError('TOOL_FAILED', `${JSON.stringify(sliceHead(name, 200))} is not a program.`, { hint });
}

function hintForShellWord(name: string, args: readonly string[]): string | undefined {
  if (FOLDER_CHANGERS.has(name)) {
    const folder = args.find((each) => !each.startsWith('-'));
    return `Each command starts in the workspace, or in the folder that cwd names: call run_command with the program and cwd${folder === undefined ? '' : ` ${JSON.stringify(sliceHead(folder, 200))}`}.`;
  }
  if (SHELL_WORDS.test(name))
    return `It holds for one shell alone: put it in front of the program that needs it, as in ["bash","-c","${name} … && PROGRAM"].`;
  if (/\s/.test(name) && !/[/\\]/.test(name))
    return `Each word is an element of its own: ${sliceHead(JSON.stringify([...name.trim().split(/\s+/), ...args]), 300)}.`;
  return undefined;
}
