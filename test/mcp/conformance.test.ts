import { verifies } from '@kernel/testing';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  hasPassed,
  requiredScenarios,
  type Revision,
  REVISIONS,
  runServerSuite,
  type ScenarioOutcome,
} from './lib/conformance-suite.ts';
import { serveFixture } from './fixture/serve.ts';

const revisions = await Promise.all(
  REVISIONS.map(async (revision) => ({ revision, required: await requiredScenarios('server', revision) })),
);

type Outcomes = ReadonlyMap<string, ScenarioOutcome>;
const suites = new Map<Revision, Promise<Outcomes>>();

/** What the suite of a revision says of our server, which it is run against once. */
function outcomesOf(revision: Revision): Promise<Outcomes> {
  const outcomes = suites.get(revision) ?? run(revision);
  suites.set(revision, outcomes);
  return outcomes;
}

async function run(revision: Revision): Promise<Outcomes> {
  const server = await serveFixture();
  try {
    return new Map((await runServerSuite(server.url, revision)).map((outcome) => [outcome.scenario, outcome]));
  } finally {
    await server.close();
  }
}

describe.each(revisions)('the conformance suite of $revision against our server', ({ revision, required }) => {
  let outcomes: Outcomes;
  beforeAll(async () => {
    outcomes = await outcomesOf(revision);
  });

  test('the suite requires at least the 30 scenarios of 2025-11-25', () => {
    verifies('mcp.server.list', 'mcp.server.call', 'mcp.server.fault', 'mcp.server.lifecycle');
    expect(required.length).toBeGreaterThanOrEqual(30);
    expect([...outcomes.keys()]).toEqual(expect.arrayContaining([...required]));
  });

  test.each(required)('%s passes without a warning', (scenario) => {
    verifies('mcp.server.revisions');
    const outcome = outcomes.get(scenario);
    expect(outcome?.faults).toEqual([]);
    expect(outcome !== undefined && hasPassed(outcome)).toBe(true);
  });

  test('so do the extensions and the scenarios that the suite has not decided on yet', () => {
    const others = [...outcomes.values()].filter(({ scenario }) => !required.includes(scenario));
    expect(others.length).toBeGreaterThanOrEqual(3);
    expect(others.filter((outcome) => !hasPassed(outcome) && !outcome.isSkipped)).toEqual([]);
  });
});

test('all ten scenarios of the extension for tasks run; nine pass without a warning, and the suite has no check for notifications yet', async () => {
  verifies('mcp.server.tasks');
  const outcomes = [...(await outcomesOf('2026-07-28')).values()];
  const tasks = outcomes.filter(({ scenario }) => scenario.startsWith('tasks-'));
  expect(tasks.map(({ scenario }) => scenario)).toHaveLength(10);
  const bad = tasks.filter((outcome) => !hasPassed(outcome));
  expect(bad).toMatchObject([{ scenario: 'tasks-status-notifications', isSkipped: true }]);
});
