/** One violation of a rule. */
export interface Problem {
  readonly rule: string;
  /** The file, relative to the root. */
  readonly file: string;
  readonly line?: number;
  /** What is wrong and what to do, with names and values. */
  readonly message: string;
}

/** A rule: reads the tree under `root`, changes nothing, and returns every violation. */
export type Rule = (root: string) => readonly Problem[];

/** The line of output for a problem: `file:line rule: message`. */
export function formatProblem({ rule, file, line, message }: Problem): string {
  return `${file}${line === undefined ? '' : `:${line}`} ${rule}: ${message}`;
}
