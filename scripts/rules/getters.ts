import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** Made once a program, a run or a session: there a getter costs nothing that counts. */
const LONG_LIVED: ReadonlySet<string> = new Set([
  'packages/agent/src/loop/steering.ts',
  // The SDK reads a property.
  'packages/mcp/src/server/http/flush-headers.ts',
  'packages/tools/src/call/run.ts',
  'packages/tools/src/registry.ts',
  'packages/tools/src/registry/events.ts',
  'packages/tools/src/registry/lists.ts',
  'packages/tools/src/registry/store.ts',
]);

const GETTER = /^\s*get \w+\(\)/;

/**
 * No getters in object literals that are made for each request or call: V8 gives each such object a hidden class of its own, which holds the
 * getter's closure, and all that it sees, until the next full garbage collection. `packages/testing` makes its objects once a test.
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
