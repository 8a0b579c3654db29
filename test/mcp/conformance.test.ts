import { verifies } from '@kernel/testing';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { HttpServer } from '@kernel/mcp';
import { hasPassed, runServerSuite, type ScenarioOutcome, serverScenarios } from './lib/conformance-suite.ts';
import { serveFixture } from './fixture/serve.ts';

const scenarios = await serverScenarios();

describe('the conformance suite against our server', () => {
  let server: HttpServer;
  let outcomes: ReadonlyMap<string, ScenarioOutcome>;
  beforeAll(async () => {
    server = await serveFixture();
    outcomes = new Map((await runServerSuite(server.url)).map((outcome) => [outcome.scenario, outcome]));
  }, 120_000);
  afterAll(() => server.close());

  test('the suite has at least the 32 scenarios of version 0.1.16', () => {
    verifies('mcp.server.list', 'mcp.server.call', 'mcp.server.fault', 'mcp.server.lifecycle');
    expect(scenarios.length).toBeGreaterThanOrEqual(32);
    expect([...outcomes.keys()].toSorted()).toEqual(scenarios.toSorted());
  });

  test.each(scenarios)('%s passes without a warning', (scenario) => {
    const outcome = outcomes.get(scenario);
    expect(outcome?.faults).toEqual([]);
    expect(outcome !== undefined && hasPassed(outcome)).toBe(true);
  });
});
