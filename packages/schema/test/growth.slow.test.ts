import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { expectLinear, workOf } from '../../../test/setup/growth.ts';
import { compileSchema } from '../src/index.ts';
import { caught, inspect } from './support.ts';

const e = { $ref: '#/$defs/e' };
const expression: JsonSchema = {
  type: 'object',
  properties: { e },
  $defs: {
    e: {
      anyOf: [
        { type: 'number' },
        { type: 'object', properties: { neg: e } },
        { type: 'object', properties: { abs: e, neg: e } },
      ],
    },
  },
};
const tracked: JsonSchema = { ...expression, unevaluatedProperties: false };
const doubled: JsonSchema = {
  type: 'object',
  properties: { e },
  $defs: { e: { allOf: [{ properties: { neg: e } }, { properties: { neg: e } }], type: 'object' } },
};
const one: JsonSchema = JSON.parse(JSON.stringify(expression).replace('anyOf', 'oneOf')) as JsonSchema;

const byName = { $dynamicRef: '#e' };
const dynamic: JsonSchema = {
  type: 'object',
  properties: { e: byName },
  $defs: {
    e: {
      $dynamicAnchor: 'e',
      anyOf: [
        { type: 'number' },
        { type: 'object', properties: { neg: byName } },
        { type: 'object', properties: { abs: byName, neg: byName } },
      ],
    },
  },
};

test.each([
  ['anyOf', expression],
  ['anyOf by dynamic references', dynamic],
  ['anyOf with unevaluatedProperties', tracked],
  ['oneOf', one],
  ['allOf twice over', doubled],
])('wrong values of a recursive schema with %s are rejected in time linear in their depth', async (_, schema) => {
  verifies('tools.execute.schema');
  const validator = compileSchema(inspect(schema));
  const make = (depth: number): unknown => JSON.parse(`{"e":${'{"neg":'.repeat(depth)}"x"${'}'.repeat(depth)}}`);
  await expectLinear({ make, work: (value) => expect(validator.test(value)).toBe(false), largest: 192 });
  await expectLinear({ make, work: (value) => validator.issues(value), largest: 192 });
});

const nested = (depth: number): object => (depth === 0 ? {} : { type: 'object', properties: { a: nested(depth - 1) } });
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `d${index}`,
    { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
  ]),
);

test.each([
  ['that doubles itself', { type: 'object', $ref: '#/$defs/d0', $defs: { ...doubling, d40: {} } }],
  ['that is nested endlessly', nested(5000)],
  ['of too much text', { properties: { a: { description: 'x'.repeat(5_000_000) } } }],
  ['of too many parts', { enum: Array.from({ length: 200_000 }, (_, index) => index) }],
])('a schema %s is rejected after little work', async (_, parameters) => {
  verifies('tools.define.schema.invalid');
  expect(await workOf(() => caught(() => inspect(parameters)))).toBeLessThan(5_000_000);
});
