/* oxlint-disable vitest/expect-expect -- the suite asserts by node:assert */
import { verifies, wireConformance, type WireDelivery, type WireName } from '@kernel/testing';
import { describe, test } from 'vitest';
import { isFetch } from '../transport.ts';
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

/** Events, lines and frames, for a transport whose bytes the same decoders read. */
const FRAMINGS: ReadonlySet<WireName> = new Set(['openai', 'ollama', 'bedrock']);
/** Azure's bytes are those of chat completions, read by the same decoder. */
const RECORDED = WIRES.filter(([wire]) => (isFetch() ? FRAMINGS.has(wire) : wire !== 'azure'));
/** One text, one piece of each: a request is sent for each byte. */
const SHORT = { ...REPLY, pieces: 1 };
/** Without a signature for each of thousands of requests. */
const UNSIGNED = { credentials: undefined, token: 'abcd' };

describe.each(RECORDED)('a recorded stream of the wire %s', (wire) => {
  const names = wireConformance({ bytes: new Uint8Array(), make: () => Promise.reject(new Error('unused')) });
  test.each(names.map(({ name }, at) => ({ name, at })))('$name', async ({ name, at }) => {
    verifies('providers.stream.sse', 'providers.stream.cut', 'providers.stream.end');
    const recorded = await recordBytes(wire, [name.includes('after every byte') ? SHORT : REPLY]);
    const cases = wireConformance({
      bytes: recorded,
      // Cuts within every event and frame, at another place of each. `cut-reply.test.ts` cuts at each byte that can end
      // something.
      cutStep: 7,
      async make(next: () => WireDelivery) {
        const replies = () => ({ chunks: [recorded], fault: next() });
        const { provider, server } = await startWire(wire, { replies }, wire === 'bedrock' ? UNSIGNED : {});
        return { provider, close: () => server.close() };
      },
    });
    await cases[at]?.run();
  });
});
