import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

const EXPORTED =
  /^export (?:default )?(?:declare )?(?:abstract )?(?:async )?(?:interface|type|function\*?|const|let|class) ([\w$]+)/;

/** Docs: each exported declaration has a doc comment right above it. A list of names (`export { … }`) needs none. */
export const docs: Rule = (root) =>
  sourceFiles(root).flatMap((file) => {
    const lines = readFileSync(join(root, file), 'utf8').split('\n');
    return lines.flatMap((line, index): readonly Problem[] => {
      const name = EXPORTED.exec(line)?.[1];
      if (name === undefined || isDocumented(lines, index, name)) return [];
      return [{ rule: 'docs', file, line: index + 1, message: `"${name}" is exported without a doc line above it.` }];
    });
  });

function isDocumented(lines: readonly string[], index: number, name: string): boolean {
  let above = index - 1;
  while (/^\s*\/\/|^@/.test(lines[above] ?? '')) above -= 1;
  if (lines[above]?.trim().endsWith('*/') === true) return true;
  // The doc of an overloaded function stands above its first signature.
  return (
    new RegExp(`^export (?:async )?function ${name}\\b`).test(lines[above] ?? '') && isDocumented(lines, above, name)
  );
}
