// Runs `@modelcontextprotocol/conformance` for each revision and prints a line for each scenario. Exits 1 when any failed; there is no list of excuses.
import { serveFixture } from './fixture/serve.ts';
import {
  hasPassed,
  REVISIONS,
  type Revision,
  runClientSuite,
  runServerSuite,
  type ScenarioOutcome,
} from './lib/conformance-suite.ts';

let failed = 0;
for (const revision of REVISIONS) {
  for (const [name, run] of Object.entries({ server, client: runClientSuite })) {
    const outcomes = await run(revision);
    const bad = outcomes.filter((outcome) => !hasPassed(outcome));
    for (const outcome of outcomes) {
      console.log(`${hasPassed(outcome) ? '✓' : '✗'} ${name} ${outcome.scenario}: ${outcome.passed} checks passed`);
      for (const fault of outcome.faults) console.log(`    ${fault}`);
    }
    console.log(`${revision} ${name}: ${outcomes.length - bad.length} of ${outcomes.length} scenarios passed`);
    failed += bad.length;
  }
}
process.exitCode = failed === 0 ? 0 : 1;

async function server(revision: Revision): Promise<readonly ScenarioOutcome[]> {
  const { url, close } = await serveFixture();
  try {
    return await runServerSuite(url, revision);
  } finally {
    await close();
  }
}
