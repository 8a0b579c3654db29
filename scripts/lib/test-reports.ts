import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** The folder of the reports that `pnpm test` and `pnpm test:all` write, one for each tier, relative to the root. */
const REPORTS = 'node_modules/.cache/tests';
const TIERS = ['first', 'second'] as const;

/** One test of a report. */
export interface ReportedTest {
  /** Its file, relative to the root. */
  readonly file: string;
  readonly name: string;
  /** What vitest's JSON reporter says: `passed`, `failed`, `skipped`, `todo` or `pending`. */
  readonly status: string;
  /** The rows of `docs/requirements` that it cited while it ran. */
  readonly cited: readonly string[];
  /** The data whose absence it was skipped for. */
  readonly missingData?: string | undefined;
  /** The rows that only this data can prove. */
  readonly unproven: readonly string[];
}

/** What the two tiers left behind. */
export interface TestReports {
  readonly tests: readonly ReportedTest[];
  /** The tiers that left no report, or in which no test ran. */
  readonly missing: readonly string[];
}

interface JsonReport {
  readonly testResults: readonly {
    readonly name: string;
    readonly status: string;
    readonly message: string;
    readonly assertionResults: readonly {
      readonly fullName: string;
      readonly status: string;
      readonly meta?: {
        readonly verifies?: readonly string[];
        readonly missingData?: string;
        readonly unproven?: readonly string[];
      };
    }[];
  }[];
}

/** Reads the reports of both tiers. */
export function readTestReports(root: string): TestReports {
  const found = TIERS.map((tier) => {
    const file = join(root, REPORTS, `${tier}.json`);
    return { tier, tests: existsSync(file) ? testsOf(root, JSON.parse(readFileSync(file, 'utf8')) as JsonReport) : [] };
  });
  const ran = ({ status }: ReportedTest): boolean => status === 'passed' || status === 'failed';
  return {
    tests: found.flatMap(({ tests }) => tests),
    missing: found.filter(({ tests }) => !tests.some(ran)).map(({ tier }) => `the ${tier} tier`),
  };
}

function testsOf(root: string, report: JsonReport): readonly ReportedTest[] {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = relative(root, name).replaceAll('\\', '/');
    const tests = assertionResults.map(({ fullName, status: outcome, meta }) => ({
      file,
      name: fullName.trim(),
      status: outcome,
      cited: meta?.verifies ?? [],
      missingData: meta?.missingData,
      unproven: meta?.unproven ?? [],
    }));
    // No test stands for a file that could not be loaded.
    if (status !== 'failed' || tests.some((test) => test.status === 'failed')) return tests;
    return [...tests, { file, name: message.split('\n', 1)[0] ?? '', status: 'failed', cited: [], unproven: [] }];
  });
}
