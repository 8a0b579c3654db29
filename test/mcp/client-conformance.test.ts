import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import {
  hasPassed,
  requiredScenarios,
  REVISIONS,
  runClientSuite,
  type ScenarioOutcome,
} from './lib/conformance-suite.ts';

/**
 * The suite measures, on the wall clock, when a stream is resumed. Too early is a failure of the client; late may also be a busy machine, and
 * that the client is at most a tenth late is tested on virtual time in `packages/mcp`.
 */
const LATE = /client-sse-retry-timing: Client reconnected (?:slightly|very) late/;

function withoutLateness(outcome: ScenarioOutcome): ScenarioOutcome {
  return { ...outcome, faults: outcome.faults.filter((fault) => !LATE.test(fault)) };
}

test.each(REVISIONS)(
  'every scenario that %s requires of clients passes in the MCP conformance suite',
  { timeout: 240_000 },
  async (revision) => {
    verifies('mcp.client.toolset', 'mcp.client.revisions');
    const outcomes = new Map((await runClientSuite(revision)).map((outcome) => [outcome.scenario, outcome]));
    const required = await requiredScenarios('client', revision);
    const failed = required
      .map(
        (scenario) => outcomes.get(scenario) ?? { scenario, passed: 0, isSkipped: false, faults: ['it did not run'] },
      )
      .map(withoutLateness)
      .filter((outcome) => !hasPassed(outcome));
    expect(failed).toEqual([]);
    expect(required.length).toBeGreaterThanOrEqual(18);
  },
);
