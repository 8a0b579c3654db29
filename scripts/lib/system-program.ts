import { findOnPath } from '../../packages/internal/src/find-program.ts';

/** The path of a program that scripts start, outside of this repository. Throws with its name where there is none. */
export function systemProgram(name: string): string {
  const program = findOnPath(name);
  if (program === undefined)
    throw new Error(`Program "${name}" was not found on the PATH, where this repository does not count. Install it.`);
  return program;
}
