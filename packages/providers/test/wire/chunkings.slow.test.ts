import { createRedactor } from '@kernel/internal';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import type { ProviderEvent } from '@kernel/protocol';
import { createAnthropicDecoder } from '../../src/anthropic/decode.ts';
import { createBedrockDecoder } from '../../src/bedrock/decode.ts';
import { loadFrameReader } from '../../src/bedrock/optional-packages.ts';
import { createGeminiDecoder } from '../../src/gemini/decode.ts';
import { createOllamaDecoder } from '../../src/ollama/decode.ts';
import { createChatDecoder } from '../../src/openai/reply/decode.ts';
import type { DecoderContext } from '../../src/wire/message-builder.ts';
import { createResponsesDecoder } from '../../src/responses/decode.ts';
import type { ReplyDecoder } from '../../src/stream/reply-decoder.ts';
import { IDENTITY_TOOL_DECODER } from '../../src/wire/tool-encoder.ts';
import { recordBytes, WIRES } from '../wires.ts';

const readFrame = await loadFrameReader();

const DECODERS: ReadonlyMap<string, (context: DecoderContext) => ReplyDecoder> = new Map([
  ['openai', createChatDecoder],
  ['openai-responses', createResponsesDecoder],
  ['anthropic', createAnthropicDecoder],
  ['gemini', createGeminiDecoder],
  ['ollama', createOllamaDecoder],
  ['bedrock', (context) => createBedrockDecoder(context, readFrame)],
]);

const REPLY = {
  reasoning: 'Überlegung, 深い 🤔.',
  text: 'Grüße 🌍 and quite some more text, so that there is something to cut.',
  calls: [
    { id: 'a', name: 'f', arguments: { x: 'ä"}{', list: [1, { deep: null }] } },
    { id: 'b', name: 'g', arguments: {} },
    { id: 'c', name: 'f', arguments: { y: 2 } },
  ],
  usage: { inputTokens: 3, outputTokens: 4 },
  pieces: 7,
};

describe.each(WIRES.filter(([wire]) => DECODERS.has(wire)))('the decoder of %s', (wire) => {
  function decode(bytes: Uint8Array, cuts: readonly number[]): readonly ProviderEvent[] {
    const seen: ProviderEvent[] = [];
    const decoder = DECODERS.get(wire)?.({
      name: wire,
      model: 'm',
      redactor: createRedactor(),
      warnings: [],
      emit: (event) => seen.push(event),
      streams: true,
      toolDecoder: IDENTITY_TOOL_DECODER,
    });
    const edges = [0, ...cuts, bytes.length];
    for (const [at, edge] of edges.slice(1).entries()) decoder?.push(bytes.slice(edges[at], edge));
    decoder?.end();
    return seen;
  }

  test('1,000 random chunkings and one byte at a time give the same events', async () => {
    verifies('providers.stream.sse', 'providers.stream.assemble');
    const bytes = await recordBytes(wire, [REPLY]);
    const whole = decode(bytes, []);
    expect(whole.at(-1)).toMatchObject({ type: 'message-end', finishReason: 'tool-calls' });
    expect(
      decode(
        bytes,
        Array.from({ length: bytes.length - 1 }, (_, at) => at + 1),
      ),
    ).toEqual(whole);
    let state = 1;
    const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let round = 0; round < 1000; round += 1) {
      const cuts = Array.from({ length: Math.floor(random() * 40) }, () => Math.floor(random() * bytes.length));
      expect(
        decode(
          bytes,
          cuts.toSorted((a, b) => a - b),
        ),
        `round ${round}`,
      ).toEqual(whole);
    }
  });
});
