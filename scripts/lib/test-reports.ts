import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { readManifest, workspaceFolders } from './projects.ts';

/** One test of a report. */
export interface ReportedTest {
  /** The folder of its package, relative to the root. */
  readonly folder: string;
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

/** What the test tasks left behind. */
export interface TestReports {
  readonly tests: readonly ReportedTest[];
  /** The folders of the packages of which a test task left no report, or one in which no test ran. */
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

/** Reads the reports that the test tasks of each package wrote: `vitest.json`, and `vitest-slow.json` where it has slow tests beside others. */
export function readTestReports(root: string): TestReports {
  const tests: ReportedTest[] = [];
  const missing = new Set<string>();
  for (const folder of workspaceFolders(root))
    for (const path of reportsOf(root, folder)) {
      const file = join(root, path);
      const found = existsSync(file) ? testsOf(folder, JSON.parse(readFileSync(file, 'utf8')) as JsonReport) : [];
      tests.push(...found);
      if (!found.some(({ status }) => status === 'passed' || status === 'failed')) missing.add(folder);
    }
  return { tests, missing: [...missing] };
}

function reportsOf(root: string, folder: string): readonly string[] {
  const hasSlow = readManifest(root, folder).scripts?.['test:slow']?.includes('vitest-slow.json') === true;
  return ['vitest.json', ...(hasSlow ? ['vitest-slow.json'] : [])].map(
    (name) => `${folder}/node_modules/.cache/${name}`,
  );
}

function testsOf(folder: string, report: JsonReport): readonly ReportedTest[] {
  return report.testResults.flatMap(({ name, status, message, assertionResults }) => {
    const file = fileIn(folder, name);
    const tests = assertionResults.map(({ fullName, status: outcome, meta }) => ({
      folder,
      file,
      name: fullName.trim(),
      status: outcome,
      cited: meta?.verifies ?? [],
      missingData: meta?.missingData,
      unproven: meta?.unproven ?? [],
    }));
    // A file that could not be loaded has no test of its own that failed.
    if (status !== 'failed' || tests.some((test) => test.status === 'failed')) return tests;
    return [
      ...tests,
      { folder, file, name: message.split('\n', 1)[0] ?? '', status: 'failed', cited: [], unproven: [] },
    ];
  });
}

/** A report from the cache names files as they were called on the machine that ran the tests. */
function fileIn(folder: string, name: string): string {
  const start = name.replaceAll('\\', '/').lastIndexOf(`/${folder}/`);
  return start === -1 ? relative('.', name) : name.slice(start + 1);
}
