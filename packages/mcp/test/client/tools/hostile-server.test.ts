import { verifies } from '@kernel/testing';
import type { Tool } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { checkOutput, findSchemaFault } from '../../../src/client/tools/output-check.ts';
const check = (outputSchema: Tool['parameters'], structuredContent: unknown): string | undefined =>
  checkOutput(
    { name: 't', description: '', parameters: {}, outputSchema },
    {
      content: [],
      structuredContent,
    },
  );

test.each<readonly [string, object, unknown, unknown]>([
  ['type', { type: 'integer' }, 1, 1.5],
  ['several types', { type: ['string', 'null'] }, null, 1],
  ['required', { type: 'object', required: ['a'] }, { a: 1 }, {}],
  ['additionalProperties', { properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }],
  ['patternProperties', { patternProperties: { '^x': { type: 'number' } } }, { x: 1, y: 'a' }, { x: 'a' }],
  ['items', { items: { type: 'number' } }, [1, 2], [1, 'a']],
  ['prefixItems', { prefixItems: [{ type: 'string' }], items: { type: 'number' } }, ['a', 1], ['a', 'b']],
  [
    'uniqueItems',
    { uniqueItems: true },
    [{ a: 1 }, { a: 2 }],
    [
      { a: 1, b: 2 },
      { b: 2, a: 1 },
    ],
  ],
  ['contains', { contains: { const: 1 } }, [2, 1], [2]],
  ['enum', { enum: ['a', { b: 1 }] }, { b: 1 }, 'b'],
  ['const', { const: null }, null, 0],
  ['bounds', { minimum: 1, exclusiveMaximum: 3 }, 2, 3],
  ['multipleOf', { multipleOf: 0.1 }, 0.3, 0.35],
  ['length', { minLength: 1, maxLength: 2 }, '😀😀', 'abc'],
  ['pattern', { pattern: '^[a-z]+$' }, 'abc', 'a1'],
  ['allOf', { allOf: [{ type: 'number' }, { minimum: 2 }] }, 2, 1],
  ['anyOf', { anyOf: [{ type: 'number' }, { type: 'string' }] }, 'a', true],
  ['oneOf', { oneOf: [{ type: 'number' }, { minimum: 2 }] }, 1, 3],
  ['not', { not: { type: 'number' } }, 'a', 1],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  ['if, then, else', { if: { type: 'number' }, then: { minimum: 2 }, else: { type: 'string' } }, 2, 1],
  ['$ref', { $ref: '#/$defs/n', $defs: { n: { items: { $ref: '#/$defs/n' }, type: 'array' } } }, [[], [[]]], [[], [1]]],
  ['dependentRequired', { dependentRequired: { a: ['b'] } }, { a: 1, b: 1 }, { a: 1 }],
  ['propertyNames', { propertyNames: { maxLength: 1 } }, { a: 1 }, { ab: 1 }],
  ['false', { properties: { a: false } }, {}, { a: 1 }],
])('structured content is checked against %s', (_, schema, right, wrong) => {
  verifies('mcp.client.bounded');
  expect(findSchemaFault(schema)).toBeUndefined();
  expect(check(schema as Tool['parameters'], right)).toBeUndefined();
  expect(check(schema as Tool['parameters'], wrong)).toMatch(/^\//);
});

const double = { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] };
test.each<readonly [string, object, unknown]>([
  ['refers to itself', { $ref: '#' }, 1],
  [
    'doubles at each level',
    { $ref: '#/$defs/a', $defs: { a: { items: double, not: {} } } },
    JSON.parse(`${'['.repeat(200)}${']'.repeat(200)}`),
  ],
])('a schema that %s makes the result a failure at once', (_, schema, value) => {
  verifies('mcp.client.bounded');
  expect(check(schema as Tool['parameters'], value)).toMatch(/without end|too long|must/);
});
