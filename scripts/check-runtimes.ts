/** Fails when a runtime of `runtimes` was not installed although this platform has a binary of it: CI must not pass without its tests. */
import { absenceReport } from '../test/setup/runtimes.ts';

const { isFailure, lines } = absenceReport();
for (const line of lines) console.log(line);
process.exitCode = isFailure ? 1 : 0;
