/** One breach of a rule, as it is printed. */
export interface Problem {
  readonly rule: string;
  /** Relative to the root. */
  readonly file: string;
  readonly line?: number;
  /** What is wrong and what to do, with names and values. */
  readonly message: string;
}

/** A rule of the house: looks at the tree under `root`, changes nothing, returns what breaks it. */
export type Rule = (root: string) => readonly Problem[];

/** The line of output for a problem: `file:line rule: message`. */
export function formatProblem({ rule, file, line, message }: Problem): string {
  return `${file}${line === undefined ? '' : `:${line}`} ${rule}: ${message}`;
}
