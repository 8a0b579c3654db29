import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** Objects that are created once per program, run or session: there a getter costs nothing that matters. */
const LONG_LIVED: ReadonlySet<string> = new Set([
  'packages/agent/src/loop/inbox.ts',
  'packages/durable/src/worker/steering.ts',
  'packages/durable/src/worker/worker.ts',
  'packages/restate/src/workflow/signals.ts',
  // The SDK reads a property.
  'packages/mcp/src/server/http/serve-http.ts',
  'packages/tools/src/call/runner.ts',
  'packages/tools/src/registry/registry.ts',
  'packages/tools/src/registry/events.ts',
  'packages/tools/src/registry/entries.ts',
]);

const GETTER = /^\s*get \w+\(\)/;

/**
 * No getters in object literals that are created for each request or call: V8 gives each such object its own hidden class, which keeps the
 * getter's closure, and all that it references, alive until the next full garbage collection. `packages/testing` creates its objects once per test.
 */
export const getters: Rule = (root) =>
  sourceFiles(root)
    .map((file) => file.split(sep).join('/'))
    .filter((file) => file.startsWith('packages/') && !file.startsWith('packages/testing/') && !LONG_LIVED.has(file))
    .flatMap((file) => checkFile(root, file));

function checkFile(root: string, file: string): readonly Problem[] {
  const lines = readFileSync(join(root, file), 'utf8').split('\n');
  return lines.flatMap((text, index) =>
    GETTER.test(text)
      ? [{ rule: 'getters', file, line: index + 1, message: `"${text.trim()}" is a getter: make it a function.` }]
      : [],
  );
}
