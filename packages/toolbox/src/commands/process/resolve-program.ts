import { resolve } from 'node:path';
import { findOnPath, sliceHead } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';
import type { IsolationRequest } from '../isolation/types.ts';

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
