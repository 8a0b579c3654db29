// Runs `@modelcontextprotocol/conformance` and prints a line for each scenario. Exits 1 when any failed; there is no list of excuses.
import { hasPassed, runClientSuite, runServerSuite, type ScenarioOutcome } from './lib/conformance-suite.ts';
import { serveFixture } from './fixture/serve.ts';

const suites: Readonly<Record<string, () => Promise<readonly ScenarioOutcome[]>>> = { server, client: runClientSuite };

let failed = 0;
for (const [name, run] of Object.entries(suites)) {
  const outcomes = await run();
  const bad = outcomes.filter((outcome) => !hasPassed(outcome));
  for (const outcome of outcomes) {
    console.log(`${hasPassed(outcome) ? '✓' : '✗'} ${name} ${outcome.scenario}: ${outcome.passed} checks passed`);
    for (const fault of outcome.faults) console.log(`    ${fault}`);
  }
  console.log(`${name}: ${outcomes.length - bad.length} of ${outcomes.length} scenarios passed`);
  failed += bad.length;
}
process.exitCode = failed === 0 ? 0 : 1;

async function server(): Promise<readonly ScenarioOutcome[]> {
  const { url, close } = await serveFixture();
  try {
    return await runServerSuite(url);
  } finally {
    await close();
  }
}
