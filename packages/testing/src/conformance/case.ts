/** One check of a conformance suite. Feed it to any test framework: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  /** A sentence about behaviour. */
  readonly name: string;
  /** Resolves when the behaviour holds; rejects with an `AssertionError` that says what does not. */
  run(): Promise<void>;
}
