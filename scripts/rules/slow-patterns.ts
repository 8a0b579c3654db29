import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';
import { slowShape } from '../lib/slow-regex.ts';
import { parseModule, walkSyntax } from '../lib/syntax.ts';

/**
 * Exceptions, each with what bounds it: offline reads one prompt of at most 2,000 characters that the user has typed;
 * the shapes of keys and escapes consume what they begin to match, and
 * `packages/internal/test/redact-keys.test.ts` measures that they take linear time.
 */
const EXCEPTIONS: readonly string[] = [
  'packages/offline/src/',
  'packages/internal/src/key-shapes.ts',
  'packages/internal/src/secret-search.ts',
];

/**
 * Regular expressions take linear time: no literal has a repetition inside a repetition, or two in a row, that can take
 * the same characters, and no search can begin at each character of a repetition. What needs such a shape is written as
 * a scanner.
 */
export const slowPatterns: Rule = (root) =>
  sourceFiles(root)
    .map((file) => file.split(sep).join('/'))
    .filter((file) => !EXCEPTIONS.some((prefix) => file.startsWith(prefix)))
    .flatMap((file) => slowLiterals(file, readFileSync(join(root, file), 'utf8')));

/** Returns a problem for each literal of a module that some text makes take quadratic time or more. */
export function slowLiterals(file: string, text: string): readonly Problem[] {
  const problems: Problem[] = [];
  if (!/\/[^/*\n].*\//.test(text)) return problems;
  walkSyntax(parseModule(text), (node) => {
    const { pattern, flags } = (node['regex'] ?? {}) as { readonly pattern?: string; readonly flags?: string };
    if (pattern === undefined || flags === undefined) return;
    const shape = slowShape(pattern, flags);
    if (shape === undefined) return;
    const shown = pattern.length > 60 ? `${pattern.slice(0, 60)}…` : pattern;
    const message = `/${shown}/${flags} may take quadratic time: ${shape}. Write a scanner, or anchor it.`;
    problems.push({ rule: 'slow-patterns', file, line: text.slice(0, node.start).split('\n').length, message });
  });
  return problems;
}
