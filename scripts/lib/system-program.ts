import { findOnPath } from '../../packages/internal/src/find-program.ts';

/** The path of a program that scripts start, outside of this repository. Throws with its name where there is none. */
export function systemProgram(name: string): string {
  const program = findOnPath(name);
  if (program === undefined)
    throw new Error(`There is no program "${name}" on the PATH, outside of this repository. Install it.`);
  return program;
}
