/** Prints `N passed, N failed`, summed from the reports of the test tasks. Fails when a project left no report or ran no test. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceFolders } from './lib/projects.ts';

interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
}

let passed = 0;
let failed = 0;
for (const root of workspaceFolders()) {
  const file = join(root, 'node_modules/.cache/vitest.json');
  if (!existsSync(file)) throw new Error(`${root} left no test report (${file}). Run its tests first.`);
  const report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  if (report.numPassedTests === 0) throw new Error(`${root} ran no test.`);
  passed += report.numPassedTests;
  failed += report.numFailedTests;
}
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
