import { findProgram } from '@kernel/internal';
import { KernelError } from '@kernel/protocol';

/**
 * Returns the path of a program of the system. Throws `TOOL_UNAVAILABLE` where there is none: its name alone would be looked up on `PATH`, which may lead
 * into the workspace.
 */
export function requireProgram(name: string, purpose: string, workspace: string): string {
  const program = findProgram(name, { workspace });
  if (program !== undefined) return program;
  throw new KernelError(
    'TOOL_UNAVAILABLE',
    `${purpose} needs the program "${name}", which this system does not have.`,
    {
      hint: `Install "${name}" for all users. A program in the workspace, in a repository around it or in a folder that others can write to does not count.`,
      data: { program: name },
    },
  );
}
