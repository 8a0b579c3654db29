/** One check of a conformance suite. Feed it to any test framework: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  /** A sentence about the behavior. */
  readonly name: string;
  /** Resolves if the behavior holds; otherwise rejects with an `AssertionError` that says what is wrong. */
  run(this: void): Promise<void>;
}
