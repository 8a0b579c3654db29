import type { Mutant } from './mutant.ts';

/** A source, the text in it, and what makes its work quadratic, or takes its bound away. */
type Row = readonly [file: string, find: string, replace: string];

/** Returns the mutants that the growth tests in a folder see. */
export const seenBy = (folder: string, rows: readonly Row[]): readonly Mutant[] =>
  rows.map(([file, find, replace]) => ({
    name: `${folder} counts the work of ${file}: ${(replace || find).trim()}`,
    tests: [`${folder}/growth.slow.test.ts`],
    file,
    find,
    replace,
  }));
