/**
 * Marks a test as proof of rows of `docs/requirements.md`. It does nothing at run time: a repository test reads the citations from the
 * text of the test files, and fails on an unknown id and on a MUST of a built area that no test cites.
 */
export function verifies(...ids: readonly string[]): void {
  void ids;
}
