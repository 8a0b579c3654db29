import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { nearest } from '../../packages/internal/src/nearest.ts';
import type { Problem } from '../lib/problem.ts';
import { readTestReports, type ReportedTest } from '../lib/test-reports.ts';

const LIST = 'docs/requirements.md';
const RULE = 'requirements';

/** One row of the acceptance list. */
interface Requirement {
  readonly id: string;
  readonly isMust: boolean;
  readonly line: number;
}

/** What the reports of the tests say about the list. */
export interface RequirementsVerdict {
  readonly problems: readonly Problem[];
  /** What could not be judged and why: a package without a report, data that is absent. */
  readonly notes: readonly string[];
}

/**
 * Requirements: every MUST of a built area is cited by a test that ran and passed, and every cited id is in the list.
 *
 * Citations are what tests passed to `verifies` while they ran, as the reports of the `test` tasks have them; text in comments, in strings
 * and in tests that were skipped or failed is none. With `complete`, as in CI, a package without a report is a problem; otherwise
 * rows that it may prove are left unjudged, as are always the rows that only absent data can prove. Built areas are listed under
 * `## Built` of the list, one id prefix in backquotes each; a longer prefix may name a part of an area.
 */
export function requirements(root: string, { complete }: { readonly complete: boolean }): RequirementsVerdict {
  const { tests, missing } = readTestReports(root);
  const file = join(root, LIST);
  if (!existsSync(file)) return { problems: [problem('the list is missing.')], notes: [] };
  const text = readFileSync(file, 'utf8');
  const rows = rowsOf(text);
  const built = builtAreas(text);
  const proven = new Set(tests.filter(({ status }) => status === 'passed').flatMap(({ cited }) => cited));
  const open = rows.filter(({ id, isMust }) => isMust && !proven.has(id) && built.some((area) => isIn(area, id)));
  const absent = new Map(
    tests.flatMap(({ missingData, status, unproven }) =>
      missingData !== undefined && status === 'skipped' ? unproven.map((id) => [id, missingData] as const) : [],
    ),
  );
  const withoutData = open.filter(({ id }) => absent.has(id));
  const unproven = open.filter(({ id }) => !absent.has(id));
  const canJudge = complete || missing.length === 0;
  return {
    problems: [
      ...unknownIds(tests, rows),
      ...(complete ? missing.map((folder) => problem('left no test report. Run `pnpm test:all` first.', folder)) : []),
      ...(canJudge ? unproven.map((row) => unprovenRow(row, tests)) : []),
      ...built
        .filter((area) => !rows.some(({ id }) => isIn(area, id)))
        .map((area) => problem(`the built area "${area}" has no row.`)),
    ],
    notes: [
      ...withoutData.map(({ id }) => `"${id}" cannot be judged: ${absent.get(id)} is absent.`),
      ...(canJudge || unproven.length === 0
        ? []
        : [
            `${unproven.length} rows cannot be judged without a test report of ${missing.join(', ')} (run \`pnpm test:all\`): ` +
              summary(unproven.map(({ id }) => id)),
          ]),
    ],
  };
}

/** The first of many ids. */
function summary(ids: readonly string[]): string {
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ', …' : '');
}

function problem(message: string, file = LIST): Problem {
  return { rule: RULE, file, message };
}

function isIn(area: string, id: string): boolean {
  return id === area || id.startsWith(`${area}.`);
}

function unknownIds(tests: readonly ReportedTest[], rows: readonly Requirement[]): readonly Problem[] {
  const ids = new Set(rows.map(({ id }) => id));
  const unknown = new Map(
    tests.flatMap(({ file, cited }) => cited.filter((id) => !ids.has(id)).map((id) => [`${file} ${id}`, { file, id }])),
  );
  return [...unknown.values()].map(({ file, id }) => {
    const near = nearest(id, ids, 1).map((name) => ` Did you mean "${name}"?`);
    return problem(`cites "${id}", which is not in ${LIST}.${near.join('')}`, file);
  });
}

function unprovenRow({ id, line }: Requirement, tests: readonly ReportedTest[]): Problem {
  const cites = tests.find(({ cited }) => cited.includes(id));
  const why =
    cites === undefined ? 'no test that ran cites it' : `the test that cites it is ${cites.status}: ${cites.name}`;
  return { ...problem(`"${id}" is a MUST of a built area, and ${why}.`), line };
}

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
