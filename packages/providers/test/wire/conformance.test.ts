/* oxlint-disable vitest/expect-expect -- the suites assert by node:assert */
import { providerConformance, verifies, wireConformance, type WireDelivery } from '@kernel/testing';
import { describe, test } from 'vitest';
import { recordBytes, startWire, WIRES } from '../wires.ts';

const REPLY = {
  reasoning: 'Hm.',
  text: 'Grüße 🌍',
  calls: [
    { id: 'a', name: 'f', arguments: { x: 'ä' } },
    { id: 'b', name: 'f', arguments: { y: 2 } },
  ],
  usage: { inputTokens: 3, outputTokens: 4 },
};

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

describe.each(WIRES)('a recorded stream of the wire %s', (wire) => {
  const bytes = recordBytes(wire, [REPLY]);
  const names = wireConformance({ bytes: new Uint8Array(), make: () => Promise.reject(new Error('unused')) });
  test.each(names.map(({ name }, at) => ({ name, at })))('$name', async ({ at }) => {
    verifies('providers.stream.sse', 'providers.stream.cut', 'providers.stream.end');
    const recorded = await bytes;
    const cases = wireConformance({
      bytes: recorded,
      async make(next: () => WireDelivery) {
        const { provider, server } = await startWire(wire, {
          replies: () => ({ chunks: [recorded], fault: next() }),
        });
        return { provider, close: () => server.close() };
      },
    });
    await cases[at]?.run();
  });
});
