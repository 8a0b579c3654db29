import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Problem, Rule } from '../lib/problem.ts';

const LIST = 'docs/requirements.md';

/** One row of the acceptance list. */
interface Requirement {
  readonly id: string;
  readonly isMust: boolean;
  readonly line: number;
}

/**
 * Requirements: every MUST of a built area is cited by a test, and every cited id is in the list.
 *
 * Citations are read from the text of `*.test.ts` and `*.test-d.ts`: `verifies('a.b', 'c.d')`. Built areas are listed under
 * `## Built` of the list, one id prefix in backquotes each; a longer prefix may name a part of an area.
 */
export const requirements: Rule = (root) => {
  if (!existsSync(join(root, LIST))) return [{ rule: 'requirements', file: LIST, message: 'the list is missing.' }];
  const text = readFileSync(join(root, LIST), 'utf8');
  const rows = rowsOf(text);
  const ids = new Set(rows.map((row) => row.id));
  const built = builtAreas(text);
  const cited = citations(root);
  const problems: Problem[] = [];
  for (const [id, file] of cited)
    if (!ids.has(id)) problems.push({ rule: 'requirements', file, message: `cites "${id}", which is not in ${LIST}.` });
  for (const { id, isMust, line } of rows)
    if (isMust && !cited.has(id) && built.some((area) => id === area || id.startsWith(`${area}.`)))
      problems.push({
        rule: 'requirements',
        file: LIST,
        line,
        message: `"${id}" is a MUST of a built area, and no test cites it.`,
      });
  for (const area of built)
    if (!rows.some(({ id }) => id === area || id.startsWith(`${area}.`)))
      problems.push({ rule: 'requirements', file: LIST, message: `the built area "${area}" has no row.` });
  return problems;
};

function rowsOf(text: string): readonly Requirement[] {
  return text.split('\n').flatMap((line, index) => {
    const match = /^\| ([a-z]+(?:\.[A-Za-z0-9]+)+) \| (MUST|SHOULD)\b/.exec(line);
    return match?.[1] === undefined ? [] : [{ id: match[1], isMust: match[2] === 'MUST', line: index + 1 }];
  });
}

function builtAreas(text: string): readonly string[] {
  const section = /^## Built\n([\s\S]*?)(?=^## |(?![\s\S]))/m.exec(text)?.[1] ?? '';
  return [...section.matchAll(/^- `([\w.]+)`/gm)].map((match) => match[1] ?? '');
}

function citations(root: string): ReadonlyMap<string, string> {
  const files = globSync(
    [
      'packages/*/test/**/*.test{,-d}.ts',
      'apps/*/test/**/*.test{,-d}.ts',
      'examples/**/*.test.ts',
      'test/e2e/**/*.test.ts',
      'scripts/**/*.test.ts',
    ],
    {
      cwd: root,
      exclude: (name) => name === 'node_modules',
    },
  );
  const cited = new Map<string, string>();
  for (const file of files.toSorted())
    for (const call of readFileSync(join(root, file), 'utf8').matchAll(/\bverifies\(([^)]*)\)/g))
      for (const quoted of (call[1] ?? '').matchAll(/['"]([^'"]+)['"]/g))
        if (quoted[1] !== undefined) cited.set(quoted[1], file);
  return cited;
}
