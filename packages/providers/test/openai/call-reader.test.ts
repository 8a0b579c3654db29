import { createRedactor, errorMessage } from '@kernel/internal';
import type { ProviderEvent } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createCallReader } from '../../src/openai/reply/call-reader.ts';
import { createMessageBuilder, type DecoderContext } from '../../src/wire/message-builder.ts';
import { IDENTITY_TOOL_DECODER } from '../../src/wire/tool-encoder.ts';

type Entry = { readonly index?: number; readonly id?: string; readonly function: object };

/** Reads the chunks of a reply, with or without the short way for pieces that are nothing but more arguments. */
function read(chunks: readonly (readonly Entry[])[], isShort: boolean) {
  const events: ProviderEvent[] = [];
  const context: DecoderContext = {
    name: 'openai',
    model: 'm',
    redactor: createRedactor(),
    warnings: [],
    emit: (event) => events.push(event),
    streams: true,
    toolDecoder: IDENTITY_TOOL_DECODER,
  };
  const builder = createMessageBuilder(context);
  let short = 0;
  const moreArguments = (...piece: Parameters<typeof builder.moreArguments>): boolean => {
    const isRead = isShort && builder.moreArguments(...piece);
    if (isRead) short += 1;
    return isRead;
  };
  const reader = createCallReader({ ...builder, moreArguments }, context);
  for (const calls of chunks) {
    const message = { tool_calls: calls };
    reader.begin(JSON.stringify(message), message);
    reader.read(message, false);
    reader.forget();
  }
  reader.end();
  let failure: unknown;
  try {
    builder.end('tool-calls');
  } catch (error) {
    failure = errorMessage(error); // a second call in the same arguments has no name
  }
  return { reply: { events, failure }, short };
}

/** Argument texts on which the ways could part: complete in the middle, begun again, repeated, empty, or not an object. */
const TEXTS = [
  '{"x":1}',
  '{"text":"a \\"quoted\\" {brace} and } ]","list":[{"deep":{}},[]]}',
  '{"x":1}{"x":2}',
  '{"x":1}{"x":1}',
  '{"x":1} \n {"y":"}{"}',
  '"a text"',
  '  {"x": 1 }  ',
  '[1,{"y":2}]',
  '{}',
  'null',
  '',
];

test('more arguments of a call give the same events the short way as the long way, however they are cut', () => {
  verifies('providers.stream.assemble');
  let state = 7;
  const random = (below: number): number => (state = (state * 48_271) % 2_147_483_647) % below;
  let short = 0;
  for (let round = 0; round < 2000; round += 1) {
    const count = 1 + random(3);
    const rest = Array.from({ length: count }, () => TEXTS[random(TEXTS.length)] ?? '');
    const first = rest.map((_, index) => ({
      index,
      id: `call-${index}`,
      function: { name: `f${index}`, arguments: '' },
    }));
    const chunks: (readonly Entry[])[] = random(2) === 0 ? [first] : first.map((entry) => [entry]);
    while (rest.some((text) => text !== '')) {
      const entries = rest.flatMap((text, index): readonly Entry[] => {
        if (text === '' || random(3) === 0) return [];
        const length = random(Math.min(text.length, 9) + 1); // 0: an empty piece
        rest[index] = text.slice(length);
        // Without an index, a piece belongs to the last call at its position.
        return [{ ...(random(6) > 0 && { index }), function: { arguments: text.slice(0, length) } }];
      });
      if (entries.length > 0) chunks.push(random(4) === 0 ? entries.toReversed() : entries);
    }
    const fast = read(chunks, true);
    expect(fast.reply, `round ${round}: ${JSON.stringify(chunks)}`).toEqual(read(chunks, false).reply);
    short += fast.short;
  }
  // Otherwise nothing was compared.
  expect(short).toBeGreaterThan(5000);
});
