import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
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

test('arbitrary keys and tuples have no strict form', () => {
  verifies('schema.strict');
  expect(toStrictSchema({ type: 'object', additionalProperties: { type: 'number' } })).toBeUndefined();
  expect(toStrictSchema({ type: 'array', prefixItems: [{ type: 'number' }] })).toBeUndefined();
});
