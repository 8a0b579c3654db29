import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { coerceValue, compileSchema, toStrictSchema } from '../src/index.ts';

test('a strict form closes objects, requires every property, and lets those that were optional be null', () => {
  verifies('schema.strict');
  const schema = {
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: 'integer' } },
    required: ['a'],
  };
  expect(toStrictSchema(schema)).toEqual({
    type: 'object',
    properties: { a: { type: 'string' }, b: { type: ['integer', 'null'] } },
    required: ['a', 'b'],
    additionalProperties: false,
  });
  expect(coerceValue({ a: 'x', b: null }, compileSchema(schema)).value).toEqual({ a: 'x' });
});

test('a schema with a part that takes any value has no strict form, wherever it is', () => {
  verifies('schema.strict');
  const any = {};
  const objectOf = (inner: JsonSchema): JsonSchema => ({ type: 'object', properties: { inner }, required: ['inner'] });
  expect(toStrictSchema(any)).toBeUndefined();
  expect(toStrictSchema(objectOf(any))).toBeUndefined();
  expect(toStrictSchema(objectOf({ description: 'What you like.' }))).toBeUndefined();
  expect(toStrictSchema(objectOf({ type: 'array', items: any }))).toBeUndefined();
  expect(toStrictSchema(objectOf({ anyOf: [{ type: 'string' }, any] }))).toBeUndefined();
  expect(toStrictSchema({ ...objectOf({ $ref: '#/$defs/any' }), $defs: { any } })).toBeUndefined();
});

test.each<[string, JsonSchema]>([
  ['a type', { type: 'string' }],
  ['values', { enum: [1, 'a'] }],
  ['one value', { const: 1 }],
  ['branches', { anyOf: [{ type: 'string' }] }],
  ['branches of which one matches', { oneOf: [{ type: 'string' }] }],
  ['a reference', { $ref: '#' }],
])('a part with %s has a strict form', (_what, inner) => {
  expect(toStrictSchema({ type: 'object', properties: { inner }, required: ['inner'] })).toBeDefined();
});

describe('nulls that a strict mode put for optional properties', () => {
  const row = {
    type: 'object',
    properties: {
      id: { type: 'integer' },
      note: { type: 'string' },
      inner: { type: 'object', properties: { a: { type: 'string' } } },
    },
    required: ['id'],
  };
  const rows = compileSchema({ type: 'array', items: row });

  test.each([801, 20_000])('%i of them are removed, beside other repairs', (count) => {
    verifies('schema.strict.nulls');
    const value = Array.from({ length: count }, (_, id) => ({ id, note: null, inner: { a: null } }));
    const { value: coerced, issues } = coerceValue([{ id: '7', note: null }, ...value], rows);
    expect(issues).toEqual([]);
    expect(coerced).toEqual([{ id: 7 }, ...value.map(({ id }) => ({ id, inner: {} }))]);
  });

  test('are told apart from those of required properties and of items, however many there are', () => {
    verifies('schema.strict.nulls');
    const value = [null, ...Array.from({ length: 2_000 }, () => ({ id: null, note: null }))];
    const { value: coerced, issues } = coerceValue(value, rows);
    expect(coerced).toEqual([null, ...Array.from({ length: 2_000 }, () => ({ id: null }))]);
    expect(issues).toHaveLength(2_001);
  });

  test('are removed in each branch of a union that is meant', () => {
    verifies('schema.strict.nulls');
    const branch = (type: string, property: string): JsonSchema => ({
      type: 'object',
      properties: { type: { const: type }, [property]: { type: 'number' } },
      required: ['type'],
      additionalProperties: false,
    });
    const union = compileSchema({ type: 'array', items: { anyOf: [branch('a', 'x'), branch('b', 'y')] } });
    const value = Array.from({ length: 1_000 }, (_, index) =>
      index % 2 === 0 ? { type: 'a', x: null } : { type: 'b', y: null },
    );
    expect(coerceValue(value, union)).toMatchObject({ issues: [], value: value.map(({ type }) => ({ type })) });
  });
});

test('arbitrary keys and tuples have no strict form', () => {
  verifies('schema.strict');
  expect(toStrictSchema({ type: 'object', additionalProperties: { type: 'number' } })).toBeUndefined();
  expect(toStrictSchema({ type: 'array', prefixItems: [{ type: 'number' }] })).toBeUndefined();
});

describe('limits of strict modes', () => {
  const text = { type: 'string' };
  const objectOf = (count: number): JsonSchema => ({
    type: 'object',
    properties: Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, text])),
  });
  const nested = (levels: number): JsonSchema =>
    levels === 0 ? text : { type: 'object', properties: { inner: nested(levels - 1) } };
  const values = (count: number, length: number): JsonSchema => ({
    type: 'object',
    properties: { choice: { type: 'string', enum: Array.from({ length: count }, (_, i) => `${i}`.padEnd(length)) } },
  });

  test.each<[string, JsonSchema, JsonSchema]>([
    ['5,000 properties', objectOf(5_000), objectOf(5_001)],
    ['ten levels of objects', nested(10), nested(11)],
    ['1,000 values of enums', values(1_000, 4), values(1_001, 4)],
    ['15,000 characters in the values of a long enum', values(300, 50), values(300, 51)],
    ['120,000 characters in names', values(200, 599), values(200, 600)],
  ])('a schema of %s has a strict form, and a larger one has none', (_limit, largest, tooLarge) => {
    verifies('schema.strict');
    expect(toStrictSchema(largest)).toBeDefined();
    expect(toStrictSchema(tooLarge)).toBeUndefined();
  });
});
