import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { runClientSuite } from './client-suite.ts';

// Whether a stream is taken up again after the time that the server named is measured: a busy machine may be late once.
test(
  'every core scenario for clients of the MCP conformance suite passes',
  { timeout: 120_000, retry: 2 },
  async () => {
    verifies('mcp.client.toolset');
    const { outcomes, output } = await runClientSuite();
    const bad = outcomes.filter(({ failed, warnings }) => failed + warnings > 0);
    expect({ bad, output: bad.length === 0 ? '' : output }).toEqual({ bad: [], output: '' });
    expect(outcomes).toHaveLength(18);
    expect(outcomes.every(({ passed }) => passed > 0)).toBe(true);
  },
);
