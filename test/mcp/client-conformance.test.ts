import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { hasPassed, type ScenarioOutcome, runClientSuite } from './lib/conformance-suite.ts';

/**
 * The suite measures, on the wall clock, when a stream is resumed. Too early is a failure of the client; late may also be a busy machine, and
 * that the client is at most a tenth late is tested on virtual time in `packages/mcp`.
 */
const LATE = /client-sse-retry-timing: Client reconnected (?:slightly|very) late/;

function withoutLateness(outcome: ScenarioOutcome): ScenarioOutcome {
  return { ...outcome, faults: outcome.faults.filter((fault) => !LATE.test(fault)) };
}

test('every core scenario for clients of the MCP conformance suite passes', { timeout: 240_000 }, async () => {
  verifies('mcp.client.toolset');
  const outcomes = (await runClientSuite()).map(withoutLateness);
  expect(outcomes.filter((outcome) => !hasPassed(outcome))).toEqual([]);
  expect(outcomes).toHaveLength(18);
});
