/* oxlint-disable vitest/expect-expect -- the suite asserts by node:assert */
import { providerConformance, verifies } from '@kernel/testing';
import { describe, test } from 'vitest';
import { startWire, WIRES } from '../wires.ts';

describe.each(WIRES)('the wire %s', (wire) => {
  const cases = providerConformance(async (script) => {
    const { provider, server } = await startWire(wire, { replies: script });
    return { provider, close: () => server.close() };
  });
  test.each(cases)('$name', async ({ run }) => {
    verifies('providers.port', 'providers.stream.end', 'providers.openai.chat', 'providers.stream.abort');
    verifies('providers.openai.responses', 'providers.anthropic', 'providers.gemini', 'providers.ollama');
    verifies('providers.azure', 'providers.bedrock');
    await run();
  });
});
