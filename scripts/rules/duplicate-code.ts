import { readFileSync } from 'node:fs';
import { join, sep } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';
import { sourceFiles } from '../lib/projects.ts';

/** How many equal lines in a row two packages may not share. */
const RUN = 6;

interface Line {
  readonly text: string;
  readonly number: number;
}

/**
 * Shared lines: no two packages hold the same six lines of code in a row. Imports, comments, blank lines and lines of punctuation do not
 * count. What two packages need belongs in `protocol`, or in `internal` if it is not a contract.
 */
export const duplicateCode: Rule = (root) => {
  const seen = new Map<string, { readonly file: string; readonly line: number }>();
  const reported = new Set<string>();
  const problems: Problem[] = [];
  for (const file of sourceFiles(root).map((each) => each.split(sep).join('/'))) {
    const lines = codeLines(readFileSync(join(root, file), 'utf8'));
    for (let at = 0; at + RUN <= lines.length; at += 1) {
      const run = lines.slice(at, at + RUN);
      const key = run.map(({ text }) => text).join('\n');
      const first = seen.get(key);
      const line = run[0]?.number ?? 1;
      if (first === undefined) seen.set(key, { file, line });
      else if (packageOf(first.file) !== packageOf(file) && !reported.has(`${file} ${first.file}`)) {
        reported.add(`${file} ${first.file}`);
        problems.push({
          rule: 'duplicate-code',
          file,
          line,
          message: `repeats ${RUN} lines of ${first.file}:${first.line}.`,
        });
      }
    }
  }
  return problems;
};

function codeLines(text: string): readonly Line[] {
  const code = text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ''))
    .replaceAll(/^(?:import|export)\b[^;]*?\bfrom '[^']+';/gm, (statement) => statement.replaceAll(/[^\n]/g, ''));
  return code
    .split('\n')
    .map((line, index) => ({ text: line.replace(/^\s*\/\/.*$/, '').trim(), number: index + 1 }))
    .filter((line) => /\w/.test(line.text));
}

function packageOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}
