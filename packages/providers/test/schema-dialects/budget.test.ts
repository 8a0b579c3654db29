import type { JsonSchema, Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createToolEncoder } from '../../src/wire/tool-encoder.ts';
import { toDialect } from '../../src/schema-dialects/to-dialect.ts';
import type { Dialect } from '../../src/schema-dialects/dialects.ts';

const INLINING = ['gemini', 'ollama', 'mistral', 'anthropic-output'] as const;

/** Each definition refers to the next one twice. */
function doubling(levels: number, node: (ref: object) => object, last: object = { type: 'string' }): JsonSchema {
  const definitions = Array.from({ length: levels }, (_, at) => [
    `d${at}`,
    at === levels - 1 ? last : node({ $ref: `#/$defs/d${at + 1}` }),
  ]);
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(definitions) };
}

const SCHEMAS: readonly (readonly [string, JsonSchema])[] = [
  ['properties', doubling(30, (ref) => ({ type: 'object', properties: { a: ref, b: ref } }))],
  ['unions', doubling(30, (ref) => ({ anyOf: [ref, { type: 'array', items: ref }] }))],
  ['allOf', doubling(30, (ref) => ({ allOf: [ref, ref] }))],
  ['allOf and null', doubling(30, (ref) => ({ anyOf: [{ allOf: [ref, ref] }, ref] }))],
  ['texts', doubling(10, (ref) => ({ properties: { a: ref, b: ref } }), { description: 'x'.repeat(100_000) })],
  ['enums', doubling(10, (ref) => ({ properties: { a: ref, b: ref } }), { enum: ['x'.repeat(50_000), 'y'] })],
];

test.each(SCHEMAS)(
  'references that double at each level by %s are refused at once, with the name of the tool',
  (_, schema) => {
    verifies('providers.dialect.budget');
    for (const dialect of INLINING) {
      const encode = createToolEncoder({ names: /^[\s\S]+$/, dialect, encode: (__, form) => form });
      const tool: Tool = { name: 'bomb', description: '', parameters: schema };
      const before = process.cpuUsage();
      expect(() => encode([tool])).toThrow(
        expect.objectContaining({
          code: 'TOOL_SCHEMA_INVALID',
          message: expect.stringContaining('"bomb"') as string,
          data: { tool: 'bomb' },
          hint: expect.stringContaining('Leave the tool out') as string,
        }),
      );
      // Only to tell seconds from hours.
      expect(process.cpuUsage(before).user / 1000).toBeLessThan(30_000);
    }
  },
);

test.each<readonly [string, JsonSchema]>([
  ['refers to itself in allOf', { type: 'object', allOf: [{ $ref: '#' }] }],
  [
    'is nested deeply',
    JSON.parse(
      `{"a":${'{"items":'.repeat(9_000)}{}${'}'.repeat(9_000)}}`.replace('{"a":', '{"type":"object","items":'),
    ) as JsonSchema,
  ],
])('a schema that %s is refused, not an overflow of the stack', (_, parameters) => {
  verifies('providers.dialect.budget');
  const encode = createToolEncoder({ names: /^[\s\S]+$/, dialect: 'gemini', encode: (__, form) => form });
  expect(() => encode([{ name: 'deep', description: '', parameters }])).toThrow(
    expect.objectContaining({ code: 'TOOL_SCHEMA_INVALID', data: { tool: 'deep' } }),
  );
});

test('a large schema of its own, and one that uses its definitions a hundred times, are accepted', () => {
  verifies('providers.dialect.budget');
  const properties = Object.fromEntries(
    Array.from({ length: 3000 }, (_, at) => [`p${at}`, { type: 'string', description: `Number ${at}.` }]),
  );
  const point = { type: 'object', properties: { x: { type: 'number' }, y: { type: 'number' } } };
  const shared: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`p${at}`, { $ref: '#/$defs/point' }])),
    $defs: { point },
  };
  const dialects: readonly Dialect[] = [...INLINING, 'openai-strict', 'openai'];
  for (const dialect of dialects) {
    expect(Object.keys(toDialect({ type: 'object', properties }, dialect).schema['properties'] as object)).toHaveLength(
      3000,
    );
    expect(JSON.stringify(toDialect(shared, dialect).schema)).toContain('"x"');
  }
});
