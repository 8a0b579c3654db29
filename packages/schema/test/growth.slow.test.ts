import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { expectLinear, workOf } from '../../../test/setup/growth.ts';
import { compileSchema, createSearch } from '../src/index.ts';
import { isExponential } from '../src/regex/ambiguity.ts';
import { parseRegex } from '../src/regex/parse.ts';
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

test.each<readonly [string, string]>([
  ['classes', '[ab]'],
  ['groups', '(?:a)'],
  ['loops', 'ab*'],
  ['choices', 'abc|'],
])('a pattern of many %s is parsed in linear time', async (_, part) => {
  const make = (size: number): string => part.repeat(size / part.length);
  await expectLinear({ make, work: (source) => parseRegex(source, '') });
});

test.each([/^(a+)+$/, /(a|a)*b/, /(?:.*x)*y/, /a*a*b/])('a text is searched for %s in linear time', async (pattern) => {
  const make = (size: number): string => `${'a'.repeat(size)}!`;
  const search = createSearch(pattern);
  await expectLinear({ make, work: (text) => search(text, { left: 1e9 }), largest: 65_536 });
});

test.each(['(?:a|b)*', '(?:ab?)+'])('the analysis of a pattern of many %s ends within a bound', async (part) => {
  const work = (size: number) => workOf(() => isExponential(new RegExp(part.repeat(size))));
  expect(await work(400)).toBeLessThan(5_000_000);
});
