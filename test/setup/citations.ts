/**
 * Runs before every test file: the ids that a test passes to `verifies` become part of its `meta`, which the JSON report of its project
 * keeps beside its outcome. `scripts/rules/requirements.ts` reads the reports, so only a test that ran and passed counts as a proof.
 */
import { TestRunner } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** The rows of `docs/requirements` that the test cited while it ran. */
    verifies?: string[];
  }
}

Reflect.set(globalThis, Symbol.for('@kernel/testing.verifies'), (ids: readonly string[]): void => {
  const test = TestRunner.getCurrentTest();
  if (test === undefined)
    throw new Error(
      `verifies(${ids.map((id) => `'${id}'`).join(', ')}) runs outside a test. Call it in the test's body.`,
    );
  test.meta.verifies = [...(test.meta.verifies ?? []), ...ids];
});
