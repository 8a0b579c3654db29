import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';
import { regexLiterals } from '../lib/regex-literals.ts';
import { slowShape } from '../lib/slow-regex.ts';

/**
 * Exceptions, each with what bounds it: offline reads one prompt of at most 2,000 characters that the user has typed; the shapes of keys and escapes consume what
 * they begin to match, and `packages/internal/test/redact-keys.test.ts` measures that they take linear time.
 */
const EXCEPTIONS: readonly string[] = [
  'packages/offline/src/',
  'packages/internal/src/key-shapes.ts',
  'packages/internal/src/secret-search.ts',
];

/**
 * Regular expressions take linear time: no literal has a repetition inside a repetition, or two in a row, that can take the same characters,
 * and no search can begin at each character of a repetition. What needs such a shape is written as a scanner.
 */
export const slowPatterns: Rule = (root) =>
  sourceFiles(root)
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !EXCEPTIONS.some((prefix) => file.startsWith(prefix)))
    .flatMap((file) => checkFile(root, file));

function checkFile(root: string, file: string): readonly Problem[] {
  return regexLiterals(readFileSync(join(root, file), 'utf8')).flatMap(({ source, flags, line }) => {
    const shape = slowShape(source, flags);
    if (shape === undefined) return [];
    const shown = source.length > 60 ? `${source.slice(0, 60)}…` : source;
    const message = `/${shown}/${flags} may take quadratic time: ${shape}. Write a scanner, or anchor it.`;
    return [{ rule: 'slow-patterns', file, line, message }];
  });
}
