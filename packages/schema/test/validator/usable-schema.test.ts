import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { validateForeign } from '../../src/index.ts';

const QUERIES = { type: 'array', items: { type: 'string' } };
const search = (odd: JsonSchema, more: JsonSchema = {}): JsonSchema => ({
  type: 'object',
  properties: { queries: QUERIES, limit: { type: 'integer' }, odd },
  required: ['queries'],
  ...more,
});
const validate = (parameters: JsonSchema, args: string) =>
  validateForeign({ name: 'search', description: 'S', parameters }, args);

describe('one odd part of a foreign schema does not keep the rest from use', () => {
  test.each<[string, JsonSchema]>([
    ['a pattern of another language', search({ pattern: '(?i)abc' })],
    ['a pattern of too many groups', search({ pattern: `${'('.repeat(9000)}a${')'.repeat(9000)}` })],
    ['a remote reference', search({ $ref: 'https://example.com/e.json' })],
    ['a reference that leads nowhere', search({ $ref: '#/$defs/none' })],
    ['an enum without values', search({ enum: [] })],
    ['a type that does not exist', search({ type: 'strng' })],
    ['a bound of draft-04', search({ type: 'integer', minimum: 0, exclusiveMinimum: true })],
    ['a property that is no schema', search(null as unknown as JsonSchema)],
    ['a list that is none', search({}, { allOf: {}, anyOf: [] })],
    [
      'required as in draft-03',
      search({}, { properties: { queries: { ...QUERIES, required: true }, limit: { type: 'integer' } } }),
    ],
    ['required that is null', search({}, { required: null })],
  ])('%s', (_, parameters) => {
    verifies('schema.foreign.parts');
    expect(validate(parameters, '{"queries":"[\\"test\\"]"}')).toMatchObject({
      input: { queries: ['test'] },
      repairs: [{ path: '/queries' }],
    });
    expect(validate(parameters, '{"queries":["a"],"limit":null}')).toMatchObject({ input: { queries: ['a'] } });
    expect(validate(parameters, '{"queries":["a"],"limit":"many"}').error?.code).toBe('ARGUMENTS_INVALID');
    expect(validate(parameters, '{"queries":["a"],"odd":7}').error).toBeUndefined();
  });
});

test.each<[string, JsonSchema, string]>([
  ['not', { not: { properties: { a: { pattern: '(?i)x' } }, required: ['a'] } }, '{"a":"b"}'],
  [
    'oneOf',
    { oneOf: [{ properties: { a: { pattern: '(?i)x' } } }, { properties: { a: { pattern: '^b' } } }] },
    '{"a":"b"}',
  ],
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword
  ['if', { if: { properties: { a: { pattern: '(?i)x' } } }, then: { required: ['z'] } }, '{"a":"b"}'],
  [
    'a definition that "not" uses',
    { $defs: { x: { pattern: '(?i)x' } }, properties: { a: { not: { $ref: '#/$defs/x' } } } },
    '{"a":"b"}',
  ],
  [
    'patternProperties beside additionalProperties',
    { patternProperties: { '(?i)a': {} }, additionalProperties: false },
    '{"a":"b"}',
  ],
  ['properties beside additionalProperties', { properties: 3, additionalProperties: false }, '{"a":"b"}'],
  ['properties beside unevaluatedProperties', { properties: 3, unevaluatedProperties: false }, '{"a":"b"}'],
  ['prefixItems beside items', { properties: { a: { prefixItems: 3, items: false } } }, '{"a":[1]}'],
  [
    'contains beside maxContains',
    { properties: { a: { contains: { pattern: '(?i)x' }, maxContains: 1 } } },
    '{"a":["x","b"]}',
  ],
])('what a part that cannot be used had allowed is not refused: %s', (_, parameters, args) => {
  verifies('schema.foreign.parts');
  expect(validate(parameters, args)).toMatchObject({ input: JSON.parse(args) as unknown, repairs: [] });
});

test.each<[string, JsonSchema]>([
  ['refers to itself', { $ref: '#', pattern: '(?i)x' }],
  ['is deeper than the stack', JSON.parse(`${'{"not":'.repeat(50_000)}{"enum":[]}${'}'.repeat(50_000)}`) as JsonSchema],
])('a schema that %s accepts everything', (_, parameters) => {
  verifies('schema.foreign.parts');
  expect(validate(parameters, '{"queries":"[]"}')).toMatchObject({ input: { queries: '[]' }, repairs: [] });
});

test('the keys of a schema are data', () => {
  verifies('schema.foreign.parts');
  const parameters = JSON.parse(
    '{"properties":{"__proto__":{"type":"integer"},"odd":{"enum":[]}},"__proto__":{"x":1}}',
  ) as JsonSchema;
  expect(validate(parameters, '{"__proto__":"x"}').error?.code).toBe('ARGUMENTS_INVALID');
});
