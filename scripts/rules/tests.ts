import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bvi\.(?:do)?[mM]ock[(<]/, 'mocks a module. Use a fake of a port.'],
  [/\b(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b|[{,]\s*skip: true/, 'is left out or runs alone.'],
  [/[{,]\s*retry: *[1-9]/, 'tries again instead of proving. Use virtual time, a count or a ratio.'],
];

/** A hook that a helper registers while it is imported. Files of one process import it once, so only the first of them would have it. */
const IMPORTED_HOOK = /^(?:before|after)(?:All|Each)\(/;
/** Runs before each file, however many share a process. */
const SETUP = 'test/setup/clean-process.ts';

/**
 * Tests: none mocks a module, runs alone, is tried again or is skipped; `skipIf` is for a platform or data that is absent. No helper registers a
 * hook while it is imported.
 */
export const tests: Rule = (root) =>
  globSync(['packages/*/test/**/*.ts', 'apps/*/test/**/*.ts', 'examples/test/**/*.ts', 'test/**/*.ts'], {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  })
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index): readonly Problem[] =>
          forbiddenIn(file)
            .filter(([pattern]) => pattern.test(line))
            .map(([, message]) => ({
              rule: 'tests',
              file,
              line: index + 1,
              message,
            })),
        ),
    );

function forbiddenIn(file: string): typeof FORBIDDEN {
  if (file.endsWith('.test.ts')) return FORBIDDEN;
  if (file === SETUP) return [];
  return [
    ...FORBIDDEN,
    [
      IMPORTED_HOOK,
      'registers a hook while it is imported, which holds for one file of a process only. Call it in a function, or use `temporaryFolder`.',
    ],
  ];
}
