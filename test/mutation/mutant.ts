/** A fault that some test must notice. */
export interface Mutant {
  /** What the fault breaks, in words. */
  readonly name: string;
  /** The source, relative to the root. */
  readonly file: string;
  /** Text that is in the file exactly once; empty for the beginning of the file. */
  readonly find: string;
  readonly replace: string;
  /** The test files of which one must fail. */
  readonly tests: readonly string[];
}
