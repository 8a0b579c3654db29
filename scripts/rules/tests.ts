import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';

const FORBIDDEN: readonly (readonly [RegExp, string])[] = [
  [/\bvi\.(?:do)?[mM]ock[(<]/, 'mocks a module. Use a fake of a port.'],
  [/\b(?:test|it|describe)(?:\.\w+)*\.(?:only|skip|todo|fails)\b|[{,]\s*skip: true/, 'is left out or runs alone.'],
  [/[{,]\s*retry: *[1-9]/, 'tries again instead of proving. Use virtual time, a count or a ratio.'],
];

/** Tests: none mocks a module, runs alone, is tried again or is skipped; `skipIf` is for a platform or data that is absent. */
export const tests: Rule = (root) =>
  globSync(['packages/*/test/**/*.ts', 'apps/*/test/**/*.ts', 'examples/test/**/*.ts', 'test/**/*.test.ts'], {
    cwd: root,
    exclude: (name) => name === 'node_modules',
  })
    .toSorted()
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index): readonly Problem[] =>
          FORBIDDEN.filter(([pattern]) => pattern.test(line)).map(([, message]) => ({
            rule: 'tests',
            file,
            line: index + 1,
            message,
          })),
        ),
    );
