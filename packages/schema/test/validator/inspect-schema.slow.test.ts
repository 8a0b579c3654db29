// oxlint-disable unicorn/no-thenable -- "then" is a keyword of JSON Schema
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { compileSchema } from '../../src/index.ts';
import { caught, inspect, SUBJECT } from '../support.ts';

const nested = (depth: number): object => (depth === 0 ? {} : { type: 'object', properties: { a: nested(depth - 1) } });
const doubling = Object.fromEntries(
  Array.from({ length: 40 }, (_, index) => [
    `d${index}`,
    { allOf: [{ $ref: `#/$defs/d${index + 1}` }, { $ref: `#/$defs/d${index + 1}` }] },
  ]),
);

test.each([
  ['properties that are a list', { type: 'object', properties: [] }, '/properties'],
  ['a property that is no schema', { properties: { a: 'string' } }, '/properties'],
  ['required that is not names', { properties: {}, required: [1] }, '/required'],
  ['required that is a flag', { properties: { a: { type: 'string', required: true } } }, '/properties/a/required'],
  ['an unknown type', { properties: { a: { type: 'text' } } }, '/properties/a/type'],
  ['an unknown type in a list', { properties: { 'a/b': { type: ['string', 'int'] } } }, '/properties/a~1b/type'],
  ['a limit that is text', { properties: { a: { minimum: '1' } } }, '/properties/a/minimum'],
  ['a negative length', { properties: { a: { maxLength: -1 } } }, '/properties/a/maxLength'],
  ['a step of zero', { properties: { a: { multipleOf: 0 } } }, '/properties/a/multipleOf'],
  ['an empty union', { properties: { a: { anyOf: [] } } }, '/properties/a/anyOf'],
  ['an empty choice', { properties: { a: { enum: [] } } }, '/properties/a/enum'],
  ['a pattern that is none', { properties: { a: { pattern: '(' } } }, '/properties/a/pattern'],
  ['a property pattern that is none', { patternProperties: { '[': {} } }, '/patternProperties/['],
  ['a reference that leads nowhere', { properties: { a: { $ref: '#/$defs/b' } } }, '/properties/a/$ref'],
  ['a remote reference', { properties: { a: { $ref: 'https://example.com/a.json' } } }, '/properties/a/$ref'],
  [
    'a schema that is only itself',
    { type: 'object', properties: { a: { $ref: '#/$defs/b' } }, $defs: { b: { $ref: '#/$defs/b' } } },
    '/properties/a/$ref',
  ],
  ['a union of itself', { type: 'object', anyOf: [{ $ref: '#' }] }, '/anyOf/0/$ref'],
  ['a schema that doubles itself', { type: 'object', $ref: '#/$defs/d0', $defs: { ...doubling, d40: {} } }, undefined],
  ['a pattern that can hang', { properties: { a: { pattern: '^(a+)+$' } } }, '/properties/a/pattern'],
  ['another', { properties: { a: { pattern: '^(\\w+\\s?)*$' } } }, '/properties/a/pattern'],
  ['a third', { properties: { a: { pattern: '^(?:[^,]+,?)+$!' } } }, '/properties/a/pattern'],
  ['a choice of equals', { properties: { a: { pattern: '^(a|a)*$' } } }, '/properties/a/pattern'],
  [
    'many maybes',
    { properties: { a: { pattern: `^${'a?'.repeat(30)}${'a'.repeat(30)}!$` } } },
    '/properties/a/pattern',
  ],
  ['a property name pattern that can hang', { patternProperties: { '(x+x+)+y': {} } }, '/patternProperties/(x+x+)+y'],
  ['endless nesting', nested(5000), undefined],
  ['too much text', { properties: { a: { description: 'x'.repeat(5_000_000) } } }, '/properties/a/description'],
  ['too many parts', { enum: Array.from({ length: 200_000 }, (_, index) => index) }, undefined],
  ['a function', { properties: { a: { default: () => 1 } } }, '/properties/a/default'],
  ['a number that JSON lacks', { properties: { a: { minimum: Number.NaN } } }, '/properties/a/minimum'],
  ['a date', { properties: { a: { default: new Date(0) } } }, '/properties/a/default'],
])('%s is rejected with a JSON pointer', (_, parameters, pointer) => {
  verifies('tools.define.schema.invalid');
  const error = caught(() => inspect(parameters));
  expect(error.code).toBe('TOOL_SCHEMA_INVALID');
  expect(error.message).toContain(SUBJECT);
  expect(error.data?.['pointer']).toSatisfy((found) =>
    pointer === undefined ? typeof found === 'string' : found === pointer,
  );
});

test('a cyclic object is rejected like one that is too deep', () => {
  verifies('tools.define.schema.invalid');
  const cyclic: Record<string, unknown> = { type: 'object' };
  cyclic['properties'] = { a: cyclic };
  expect(caught(() => inspect(cyclic)).code).toBe('TOOL_SCHEMA_INVALID');
});

test.each([
  ['no types anywhere', { properties: { a: { description: 'anything' } } }, { a: [1] }, undefined],
  [
    'a reference into $defs',
    { properties: { a: { $ref: '#/$defs/x' } }, $defs: { x: { type: 'string' } } },
    { a: 'x' },
    { a: 5 },
  ],
  [
    'a reference into definitions',
    { properties: { a: { $ref: '#/definitions/x' } }, definitions: { x: { type: 'string' } } },
    { a: 'x' },
    { a: 5 },
  ],
  [
    'recursion',
    {
      properties: { tree: { $ref: '#/$defs/node' } },
      $defs: { node: { type: 'object', properties: { next: { $ref: '#/$defs/node' }, v: { type: 'integer' } } } },
    },
    { tree: { next: { next: { v: 1 } } } },
    { tree: { next: { next: { v: 'x' } } } },
  ],
  [
    'recursion to the root',
    { properties: { child: { $ref: '#' }, v: { type: 'integer' } } },
    { child: { child: { v: 1 } } },
    { child: { v: 'x' } },
  ],
  [
    'a union at the root of a property',
    { properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } },
    { a: null },
    { a: 5 },
  ],
  ['a union at the root', { type: 'object', anyOf: [{ required: ['a'] }, { required: ['b'] }] }, { b: 1 }, { c: 1 }],
  ['a fixed value', { properties: { a: { const: { x: [1] } } } }, { a: { x: [1] } }, { a: { x: [2] } }],
  [
    'a huge choice',
    { properties: { a: { enum: Array.from({ length: 20_000 }, (_, index) => `v${index}`) } } },
    { a: 'v19999' },
    { a: 'w' },
  ],
  [
    'a schema for other properties',
    { type: 'object', additionalProperties: { type: 'integer' } },
    { a: 1 },
    { a: 'x' },
  ],
  [
    'draft-07 by its address',
    {
      $schema: 'http://json-schema.org/draft-07/schema#',
      properties: { a: { items: [{ type: 'string' }], additionalItems: false } },
    },
    { a: ['x'] },
    { a: ['x', 1] },
  ],
  [
    'places in items without a draft',
    { properties: { a: { items: [{ type: 'string' }] } } },
    { a: ['x', 1] },
    { a: [1] },
  ],
  [
    'a schema as an argument',
    { properties: { a: { $ref: 'http://json-schema.org/draft-07/schema#' } } },
    { a: { type: 'object' } },
    { a: { type: 'thing' } },
  ],
  [
    'unknown keywords and formats',
    { 'x-order': 1, properties: { a: { type: 'string', format: 'semver', nullable: true } } },
    { a: 'x' },
    { a: 5 },
  ],
  [
    'if, then and else',
    {
      properties: { k: {} },
      if: { properties: { k: { const: 1 } }, required: ['k'] },
      then: { required: ['a'] },
      else: { required: ['b'] },
    },
    { k: 1, a: 1 },
    { k: 1 },
  ],
  [
    'everyday patterns',
    {
      properties: {
        a: { pattern: '^[^@]+@[^@]+\\.[^@]+$' },
        b: { pattern: '^([a-z0-9]+-)*[a-z0-9]+$' },
        c: { pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
        d: { pattern: '^#\\-x' },
      },
    },
    { a: 'a@b.c', c: '2026-11-21' },
    { a: 'nobody' },
  ],
])('a schema found in the wild works: %s', (_, parameters, good, bad) => {
  verifies('tools.execute.schema', 'tools.define.json');
  const validator = compileSchema(inspect(parameters));
  expect(validator.test(good)).toBe(true);
  expect(validator.test(bad)).toBe(bad === undefined);
});

test('all issues are reported at once with JSON pointers', () => {
  verifies('tools.execute.schema');
  const parameters = {
    type: 'object',
    properties: {
      a: { type: 'object', properties: { 'x/y': { type: 'array', items: { type: 'integer' } } } },
      b: { maximum: 1 },
    },
    required: ['c'],
  };
  expect(
    compileSchema(parameters)
      .issues({ a: { 'x/y': [1, 'two', 3, 'four'] }, b: 2 })
      .map((issue) => `${issue.path} ${issue.keyword}`),
  ).toEqual([' required', '/a/x~1y/1 type', '/a/x~1y/3 type', '/b maximum']);
});

test('two hundred everyday patterns are allowed, and a bad one among them is named', () => {
  verifies('tools.define.schema.invalid');
  const everyday = [
    '^[^@]+@[^@]+\\.[^@]+$',
    '^([a-z0-9]+-)*[a-z0-9]+$',
    '^\\d{4}-\\d{2}-\\d{2}$',
    '^\\w+(,\\s*\\w+)*$',
  ];
  const many = Array.from({ length: 200 }, (_, index) => [
    `p${index}`,
    { pattern: `${everyday[index % 4] ?? ''}|x${index}` },
  ]);
  const properties: Record<string, unknown> = Object.fromEntries(many);
  inspect({ properties });
  const error = caught(() => inspect({ properties: { ...properties, bad: { pattern: '^(a+)+$' } } }));
  expect(error.data?.['pointer']).toBe('/properties/bad/pattern');
});
