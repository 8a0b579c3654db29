import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { expectLinear, workOf } from '../../../../test/setup/growth.ts';
import { createSseParser } from '../../src/stream/sse.ts';
import { createExactArguments } from '../../src/wire/arguments.ts';
import { createToolEncoder } from '../../src/wire/tool-encoder.ts';
import { chunk, endOf, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

/** Each definition refers to the next one twice. */
function doubling(levels: number, node: (ref: object) => object, last: object = { type: 'string' }): JsonSchema {
  const definitions = Array.from({ length: levels }, (_, at) => [
    `d${at}`,
    at === levels - 1 ? last : node({ $ref: `#/$defs/d${at + 1}` }),
  ]);
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(definitions) };
}

test('reading many citations takes linear time', async () => {
  verifies('providers.citations');
  const url_citation = { url: 'https://a.test', start_index: 0, end_index: 1 };
  const pair = (): object => chunk({ content: 'word ', annotations: [{ type: 'url_citation', url_citation }] });
  const make = (count: number): string => sse(...Array.from({ length: count }, pair), chunk({}, 'stop'));
  const work = (text: string): Promise<void> =>
    withWire('openai', { replies: [{ chunks: [text] }] }, async ({ provider }) => {
      await endOf(provider.stream(request()));
    });
  await expectLinear({ make, work });
});

test('a long line in many pieces takes linear time', async () => {
  const piece = Buffer.from('x'.repeat(64));
  const readLine = (pieces: number): void => {
    const parser = createSseParser(() => undefined);
    parser.push(Buffer.from('data: '));
    for (let at = 0; at < pieces; at += 1) parser.push(piece);
    parser.push(Buffer.from('\n\n'));
  };
  await expectLinear({ make: (pieces) => pieces, work: readLine, largest: 4096 });
});

test.each([
  ['many calls with a loss', (size: number) => Array.from({ length: size / 32 }, () => '{"args":{"a":1,"a":2}}')],
  [
    'one loss among many calls',
    (size: number) => ['{"x":1,"x":1}', ...Array.from({ length: size / 16 }, () => '{"args":{}}')],
  ],
  [
    'arguments within arguments',
    (size: number) => [`${'{"args":'.repeat(size / 9)}1${'}'.repeat(size / 9)}`, '{"a":1,"a":1}'],
  ],
])('reading a reply with %s takes linear time', async (_, make) => {
  await expectLinear({
    make: (size) => `[${make(size).join(',')}]`,
    work(text) {
      const exact = createExactArguments('args');
      const parsed = JSON.parse(text) as readonly { readonly args?: unknown }[];
      exact.read(text, parsed);
      for (const { args } of parsed) exact.of(args);
    },
    largest: 16_384,
  });
});

test.each<readonly [string, JsonSchema]>([
  ['properties', doubling(30, (ref) => ({ type: 'object', properties: { a: ref, b: ref } }))],
  ['unions', doubling(30, (ref) => ({ anyOf: [ref, { type: 'array', items: ref }] }))],
  ['allOf', doubling(30, (ref) => ({ allOf: [ref, ref] }))],
  ['allOf and null', doubling(30, (ref) => ({ anyOf: [{ allOf: [ref, ref] }, ref] }))],
  ['texts', doubling(10, (ref) => ({ properties: { a: ref, b: ref } }), { description: 'x'.repeat(100_000) })],
  ['enums', doubling(10, (ref) => ({ properties: { a: ref, b: ref } }), { enum: ['x'.repeat(50_000), 'y'] })],
])(
  'references that double at each level by %s are refused after little work, with the name of the tool',
  async (_, parameters) => {
    verifies('providers.dialect.budget');
    for (const dialect of ['gemini', 'ollama', 'mistral', 'anthropic-output'] as const) {
      const encode = createToolEncoder({ names: /^[\s\S]+$/, dialect, encode: (__, form) => form });
      const refused = (): void =>
        expect(() => encode([{ name: 'bomb', description: '', parameters }])).toThrow(
          expect.objectContaining({
            code: 'TOOL_SCHEMA_INVALID',
            message: expect.stringContaining('"bomb"') as string,
            data: { tool: 'bomb' },
            hint: expect.stringContaining('Leave the tool out') as string,
          }),
        );
      expect(await workOf(refused)).toBeLessThan(2_000_000);
    }
  },
);
