import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createToolEncoder } from '../../src/wire/tool-encoder.ts';
import { toDialect } from '../../src/schema-dialects/to-dialect.ts';
import type { Dialect } from '../../src/schema-dialects/dialects.ts';

const INLINING = ['gemini', 'ollama', 'mistral', 'anthropic-output'] as const;

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
