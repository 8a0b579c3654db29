import { globSync } from 'node:fs';
import { sep } from 'node:path';
import { nearest } from '../../packages/internal/src/nearest.ts';
import type { Problem } from '../lib/problem.ts';
import { readText } from '../lib/read-text.ts';
import { readTestReports, type ReportedTest } from '../lib/test-reports.ts';

/** The folder of the acceptance lists: one for each package. */
export const LISTS = 'docs/requirements';
const RULE = 'requirements';

/** One row of an acceptance list. */
interface Requirement {
  readonly file: string;
  readonly id: string;
  readonly isMust: boolean;
  readonly line: number;
}

/** What the reports of the tests say about the list. */
export interface RequirementsVerdict {
  readonly problems: readonly Problem[];
  /** What could not be judged and why: a tier without a report, data that is absent. */
  readonly notes: readonly string[];
}

/**
 * Requirements: every MUST is cited by a test that ran and passed, every cited id is in a list of `docs/requirements`, and no id twice.
 *
 * Citations are what tests passed to `verifies` while they ran, as the reports of the two tiers have them; text in
 * comments, in strings and in tests that were skipped or failed is none. With `complete`, as in CI, a tier without a
 * report is a problem; otherwise rows that it may prove are left unjudged, as are always the rows that only absent data
 * can prove.
 */
export function requirements(root: string, { complete }: { readonly complete: boolean }): RequirementsVerdict {
  const { tests, missing } = readTestReports(root);
  const rows = requirementRows(root);
  if (rows.length === 0) return { problems: [problem('the lists are missing.')], notes: [] };
  const proven = new Set(tests.filter(({ status }) => status === 'passed').flatMap(({ cited }) => cited));
  const open = rows.filter(({ id, isMust }) => isMust && !proven.has(id));
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
      ...twice(rows),
      ...unknownIds(tests, rows),
      ...(complete ? missing.map((tier) => problem(`${tier} left no test report. Run \`pnpm test:all\` first.`)) : []),
      ...(canJudge ? unproven.map((row) => unprovenRow(row, tests)) : []),
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

/** Returns the rows of all lists. */
export function requirementRows(root: string): readonly Requirement[] {
  return globSync(`${LISTS}/*.md`, { cwd: root })
    .map((file) => file.split(sep).join('/'))
    .toSorted()
    .flatMap((file) =>
      readText(root, file)
        .split('\n')
        .flatMap((line, index) => {
          const match = /^\| ([a-z]+(?:\.[A-Za-z0-9]+)+) +\| (MUST|SHOULD)\b/.exec(line);
          return match?.[1] === undefined ? [] : [{ file, id: match[1], isMust: match[2] === 'MUST', line: index + 1 }];
        }),
    );
}

function twice(rows: readonly Requirement[]): readonly Problem[] {
  const first = new Map<string, Requirement>();
  return rows.flatMap((row) => {
    const other = first.get(row.id);
    first.set(row.id, other ?? row);
    return other === undefined
      ? []
      : [{ ...problem(`"${row.id}" is also in ${other.file}, line ${other.line}.`, row.file), line: row.line }];
  });
}

/** The first of many ids. */
function summary(ids: readonly string[]): string {
  return ids.slice(0, 5).join(', ') + (ids.length > 5 ? ', …' : '');
}

function problem(message: string, file = `${LISTS}/README.md`): Problem {
  return { rule: RULE, file, message };
}

function unknownIds(tests: readonly ReportedTest[], rows: readonly Requirement[]): readonly Problem[] {
  const ids = new Set(rows.map(({ id }) => id));
  const unknown = new Map(
    tests.flatMap(({ file, cited }) => cited.filter((id) => !ids.has(id)).map((id) => [`${file} ${id}`, { file, id }])),
  );
  return [...unknown.values()].map(({ file, id }) => {
    const near = nearest(id, ids, 1).map((name) => ` Did you mean "${name}"?`);
    return problem(`cites "${id}", which is in no list of ${LISTS}.${near.join('')}`, file);
  });
}

function unprovenRow({ file, id, line }: Requirement, tests: readonly ReportedTest[]): Problem {
  const cites = tests.find(({ cited }) => cited.includes(id));
  const why =
    cites === undefined ? 'no test that ran cites it' : `the test that cites it is ${cites.status}: ${cites.name}`;
  return { ...problem(`"${id}" is a MUST, and ${why}.`, file), line };
}
