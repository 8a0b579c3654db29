/**
 * Prints `N passed, N failed`, summed from the reports of the two tiers. Fails when a test failed or was skipped,
 * unless it was for data that is absent, which is named, and when a tier left no report or ran no test.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readTestReports } from './lib/test-reports.ts';
import { totalsOf } from './lib/totals.ts';

const { summary, absent, problems } = totalsOf(readTestReports(join(import.meta.dirname, '..')), existsSync);
for (const one of problems) console.log(one);
for (const one of absent) console.log(`TEST DATA ABSENT: ${one}`);
console.log(summary);
process.exitCode = problems.length === 0 ? 0 : 1;
