// Runs `@modelcontextprotocol/conformance` for each revision and for what is beyond them, prints a line for each scenario and the table of all.
// Exits 1 when any failed; there is no list of excuses. A scenario that the suite itself skips, because it has no check yet, is counted apart.
import { serveFixture } from './fixture/serve.ts';
import {
  hasPassed,
  requiredScenarios,
  REVISIONS,
  type Revision,
  runClientSuite,
  runServerSuite,
  runSuiteBeyond,
  type ScenarioOutcome,
  SUITES_BEYOND,
} from './lib/conformance-suite.ts';

const SIDES = { server: runServer, client: runClientSuite } as const;
const table = new Map<string, { server?: string; client?: string }>();
const beyond = { server: new Map<string, ScenarioOutcome>(), client: new Map<string, ScenarioOutcome>() };

for (const revision of REVISIONS) {
  for (const side of ['server', 'client'] as const) {
    const outcomes = await SIDES[side](revision);
    print(side, outcomes);
    const required = new Set(await requiredScenarios(side, revision));
    for (const name of required)
      if (!outcomes.some(({ scenario }) => scenario === name)) fail(`${revision} ${side}: ${name} did not run`);
    for (const outcome of outcomes) if (!required.has(outcome.scenario)) beyond[side].set(outcome.scenario, outcome);
    add(
      `required by ${revision}`,
      side,
      outcomes.filter(({ scenario }) => required.has(scenario)),
    );
  }
}
for (const suite of SUITES_BEYOND) {
  const outcomes = await runSuiteBeyond(suite);
  print('client', outcomes);
  for (const { scenario } of outcomes) beyond.client.delete(scenario);
  add(suite === 'extensions' ? 'extensions: ways to sign in' : 'signing in as in 2025-03-26', 'client', outcomes);
}
const isTask = ({ scenario }: ScenarioOutcome): boolean => scenario.startsWith('tasks-');
add('extension: tasks', 'server', [...beyond.server.values()].filter(isTask));
for (const side of ['server', 'client'] as const)
  add(
    'all others of the suite',
    side,
    [...beyond[side].values()].filter((outcome) => !isTask(outcome)),
  );

console.log('\n| scenarios | server | client |\n|---|---|---|');
for (const [name, { server = '', client = '' }] of table) console.log(`| ${name} | ${server} | ${client} |`);

function print(side: string, outcomes: readonly ScenarioOutcome[]): void {
  for (const outcome of outcomes) {
    const mark = hasPassed(outcome) ? '✓' : outcome.isSkipped ? '–' : '✗';
    console.log(`${mark} ${side} ${outcome.scenario}: ${outcome.passed} checks passed`);
    for (const fault of outcome.faults) console.log(`    ${fault}`);
  }
}

function add(row: string, side: keyof typeof SIDES, outcomes: readonly ScenarioOutcome[]): void {
  const run = outcomes.filter(({ isSkipped }) => !isSkipped);
  const passed = run.filter(hasPassed);
  const checks = passed.reduce((sum, outcome) => sum + outcome.passed, 0);
  const skipped =
    outcomes.length === run.length ? '' : `, ${outcomes.length - run.length} without a check in the suite`;
  table.set(row, { ...table.get(row), [side]: `${passed.length} of ${run.length} (${checks} checks)${skipped}` });
  if (passed.length < run.length) process.exitCode = 1;
}

function fail(what: string): void {
  console.log(`✗ ${what}`);
  process.exitCode = 1;
}

async function runServer(revision: Revision): Promise<readonly ScenarioOutcome[]> {
  const { url, close } = await serveFixture();
  try {
    return await runServerSuite(url, revision);
  } finally {
    await close();
  }
}
