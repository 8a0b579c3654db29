import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** The files that may declare a class: `KernelError` is the only one. */
const ALLOWED: ReadonlySet<string> = new Set(['packages/protocol/src/error.ts']);

const CLASS = /^\s*(?:export\s+)?(?:default\s+)?(?:abstract\s+)?class\s+\w|=\s*class\b/;

/** Classes: none but `KernelError`. */
export const classes: Rule = (root) =>
  sourceFiles(root)
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !ALLOWED.has(file))
    .flatMap((file) =>
      readFileSync(join(root, file), 'utf8')
        .split('\n')
        .flatMap((line, index): readonly Problem[] =>
          CLASS.test(line)
            ? [
                {
                  rule: 'classes',
                  file,
                  line: index + 1,
                  message: 'declares a class. Use a function that returns an object.',
                },
              ]
            : [],
        ),
    );
