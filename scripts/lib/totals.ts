import type { TestReports } from './test-reports.ts';

/** The closing line of CI and what is wrong with the run. */
export interface Totals {
  /** `N passed, N failed`, with the number of skipped tests if there are any. */
  readonly summary: string;
  /** The absent data, each with the number of tests that were skipped for it. */
  readonly absent: readonly string[];
  /** Tiers without a report, failed tests, and every test that was left out for another reason than absent data. */
  readonly problems: readonly string[];
}

/** Sums the reports. A test may be skipped only for data that is not part of the repository, and only while it is absent. */
export function totalsOf({ tests, missing }: TestReports, isThere: (path: string) => boolean): Totals {
  const passed = tests.filter(({ status }) => status === 'passed').length;
  const failed = tests.filter(({ status }) => status === 'failed');
  const left = tests.filter(({ status }) => status !== 'passed' && status !== 'failed');
  const excused = new Map<string, number>();
  const problems = missing.map((tier) => `${tier} left no test report, or ran no test. Run \`pnpm test:all\`.`);
  problems.push(...failed.map(({ file, name }) => `${file}: "${name}" failed.`));
  for (const { file, name, status, missingData } of left) {
    if (missingData === undefined || status !== 'skipped') problems.push(`${file}: "${name}" is ${status}.`);
    else if (isThere(missingData)) problems.push(`${file}: "${name}" is skipped for ${missingData}, which is there.`);
    else excused.set(missingData, (excused.get(missingData) ?? 0) + 1);
  }
  return {
    summary: `${passed} passed, ${failed.length} failed${left.length === 0 ? '' : `, ${left.length} skipped`}`,
    absent: [...excused].map(([path, count]) => `${count} skipped, because ${path} is absent`),
    problems,
  };
}
