/** One check of a conformance suite. Feed it to any test framework: `for (const { name, run } of cases) test(name, run)`. */
export interface ConformanceCase {
  /** A sentence about the behavior. */
  readonly name: string;
  /** Resolves if the behavior holds; otherwise rejects with an `AssertionError` that says what is wrong. */
  run(this: void): Promise<void>;
}

/** Runs work on a subject of its own, which is released afterwards. */
export async function withSubject<Subject extends { close?(): Promise<void> | void }>(
  make: () => Subject | Promise<Subject>,
  work: (subject: Subject) => Promise<void>,
): Promise<void> {
  const subject = await make();
  try {
    await work(subject);
  } finally {
    await subject.close?.();
  }
}
