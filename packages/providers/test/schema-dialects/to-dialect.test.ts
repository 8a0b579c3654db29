import type { JsonSchema, Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { lintTools, toDialect } from '../../src/index.ts';

const object = (properties: object, more: object = {}): JsonSchema => ({ type: 'object', properties, ...more });

test('strict: an optional property becomes nullable and required, and its null goes back to absent', () => {
  verifies('providers.function.strict', 'providers.dialect');
  const inner = object({ deep: { type: 'string' } });
  const schema = object(
    {
      a: { type: 'string' },
      b: { enum: ['x', 'y'] },
      c: { type: ['number', 'null'] },
      d: inner,
      l: { type: 'array', items: inner },
    },
    { required: ['a'] },
  );
  const strict = toDialect(schema, 'openai-strict');
  expect(strict.losses).toEqual([]);
  expect(strict.schema).toEqual({
    type: 'object',
    additionalProperties: false,
    required: ['a', 'b', 'c', 'd', 'l'],
    properties: {
      a: { type: 'string' },
      b: { type: ['string', 'null'], enum: ['x', 'y', null] },
      c: { type: ['number', 'null'] },
      d: {
        type: ['object', 'null'],
        additionalProperties: false,
        required: ['deep'],
        properties: { deep: { type: ['string', 'null'] } },
      },
      l: {
        type: ['array', 'null'],
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['deep'],
          properties: { deep: { type: ['string', 'null'] } },
        },
      },
    },
  });
  expect(strict.restore({ a: 'x', b: null, c: null, d: { deep: null }, l: [{ deep: null }, { deep: 'y' }] })).toEqual({
    a: 'x',
    c: null,
    d: {},
    l: [{}, { deep: 'y' }],
  });
  expect(strict.restore('no object')).toBe('no object');
});

test('strict: bounds that the vendor accepts stay, others move to the description and are listed', () => {
  verifies('providers.dialect');
  const schema = object(
    { n: { type: 'integer', minimum: 1 }, s: { type: 'string', description: 'A word.', minLength: 2, format: 'date' } },
    { required: ['n', 's'] },
  );
  const { losses, schema: sent } = toDialect(schema, 'openai-strict');
  expect(sent['properties']).toEqual({
    n: { type: 'integer', minimum: 1 },
    s: { type: 'string', description: 'A word. (minLength: 2)', format: 'date' },
  });
  expect(losses).toMatchObject([{ path: '/properties/s/minLength', keyword: 'minLength' }]);
});

test('strict: a null in a branch of a union is removed by the branch that matches', () => {
  const branch = (tag: string, name: string): JsonSchema =>
    object({ kind: { const: tag }, [name]: { type: 'string' } }, { required: ['kind'] });
  const schema = object({ u: { oneOf: [branch('a', 'x'), branch('b', 'y')] } }, { required: ['u'] });
  const strict = toDialect(schema, 'openai-strict');
  expect(strict.losses).toEqual([]);
  expect(strict.restore({ u: { kind: 'b', y: null } })).toEqual({ u: { kind: 'b' } });
});

test('strict: a recursive schema keeps its references, and the nulls inside become absent again', () => {
  const node = object({ next: { $ref: '#/$defs/node' }, v: { type: 'number' } }, { required: ['v'] });
  const schema = object({ head: { $ref: '#/$defs/node' } }, { required: ['head'], $defs: { node } });
  const strict = toDialect(schema, 'openai-strict');
  expect(strict.losses).toEqual([]);
  expect(strict.schema).toMatchObject({
    $defs: {
      node: { required: ['next', 'v'], properties: { next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] } } },
    },
  });
  expect(strict.restore({ head: { v: 1, next: { v: 2, next: null } } })).toEqual({ head: { v: 1, next: { v: 2 } } });
});

test('gemini: references are inlined, recursion ends and is listed, const and unions are rewritten', () => {
  verifies('providers.dialect');
  const schema = object(
    {
      p: { $ref: '#/$defs/point', description: 'Where.' },
      t: { $ref: '#/$defs/tree' },
      c: { const: 'fixed' },
      u: { oneOf: [{ type: 'string' }, { type: 'number' }] },
      i: { type: 'integer', exclusiveMinimum: 0 },
      f: { type: 'number', exclusiveMinimum: 0 },
      m: { type: ['string', 'number'] },
    },
    {
      $defs: {
        point: object({ x: { type: 'number' } }),
        tree: object({ kids: { type: 'array', items: { $ref: '#/$defs/tree' } } }),
      },
    },
  );
  const { losses, schema: sent } = toDialect(schema, 'gemini');
  expect(JSON.stringify(sent)).not.toMatch(/\$ref|\$defs|oneOf|"const"|"exclusive/);
  expect(sent['properties']).toMatchObject({
    p: { type: 'object', description: 'Where.', properties: { x: { type: 'number' } } },
    t: { properties: { kids: { items: { type: 'object' } } } },
    c: { type: 'string', enum: ['fixed'] },
    u: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    i: { type: 'integer', minimum: 1 },
    f: { type: 'number', description: '(exclusiveMinimum: 0)' },
    m: { anyOf: [{ type: 'string' }, { type: 'number' }] },
  });
  expect(losses.map(({ path }) => path)).toEqual([
    '/properties/t/properties/kids/items/$ref',
    '/properties/f/exclusiveMinimum',
  ]);
});

test.each(['openai', 'anthropic', 'mistral', 'gemini', 'ollama'] as const)(
  '%s: a union at the root becomes one object, which is listed; allOf is joined',
  (dialect) => {
    verifies('providers.dialect');
    const union = {
      anyOf: [object({ a: { type: 'string' } }, { required: ['a'] }), object({ b: { type: 'number' } })],
    };
    const { losses, schema } = toDialect(union, dialect);
    expect(schema).toMatchObject({ type: 'object', properties: { a: { type: 'string' }, b: { type: 'number' } } });
    expect(schema).not.toHaveProperty('anyOf');
    expect(schema).not.toHaveProperty('required');
    expect(losses).toMatchObject([{ keyword: 'anyOf' }]);
    const joined = toDialect(
      { allOf: [object({ a: { type: 'string' } }), object({ b: { type: 'number' } }, { required: ['b'] })] },
      dialect,
    );
    expect(joined.schema).toMatchObject({ type: 'object', required: ['b'], properties: { a: {}, b: {} } });
    expect(joined.losses).toEqual([]);
  },
);

test('a schema that a dialect accepts unchanged stays the same object', () => {
  const schema = object({ a: { type: 'string', minLength: 1, pattern: '^a' }, r: { oneOf: [{}, {}] } });
  expect(toDialect(schema, 'openai').schema).toBe(schema);
  expect(toDialect(schema, 'anthropic').schema).toBe(schema);
});

test('hostile property names survive every dialect as own properties', () => {
  const schema = JSON.parse(
    '{"type":"object","properties":{"__proto__":{"type":"string"},"constructor":{"type":"number"}}}',
  ) as JsonSchema;
  for (const dialect of ['openai-strict', 'gemini', 'ollama', 'mistral', 'anthropic-output'] as const) {
    const { properties } = toDialect(schema, dialect).schema as { properties: object };
    expect(Object.keys(properties)).toEqual(['__proto__', 'constructor']);
  }
  const args = JSON.parse('{"__proto__":null,"constructor":1}') as { [key: string]: null };
  expect(JSON.stringify(toDialect(schema, 'openai-strict').restore(args))).toBe('{"constructor":1}');
});

test('lintTools lists before the first request what each tool loses, and why strict mode is not possible', () => {
  verifies('providers.dialect');
  const tool: Tool = {
    name: 'find',
    description: 'Finds.',
    strict: true,
    parameters: object({ q: { type: 'string', pattern: '^a' }, rest: { type: 'object', additionalProperties: true } }),
  };
  expect(lintTools([tool], 'openai')).toEqual([
    {
      tool: 'find',
      path: '/properties/rest/additionalProperties',
      message: expect.stringMatching(/^sent without strict mode: additionalProperties/) as unknown,
    },
  ]);
  expect(lintTools([tool], 'gemini')).toMatchObject([
    { message: 'sent without strict mode: this API does not have it' },
    { path: '/properties/q/pattern' },
  ]);
});

test.each(['gemini', 'ollama', 'mistral'] as const)(
  '%s: additionalProperties of false is left out without a warning where it cannot be sent; a schema of it is named',
  (dialect) => {
    verifies('providers.dialect');
    const closed = object({ a: object({ b: { type: 'string' } }, { additionalProperties: false }) });
    expect(toDialect({ ...closed, additionalProperties: false }, dialect).losses).toEqual([]);
    const typed = toDialect({ ...closed, additionalProperties: { type: 'number' } }, dialect);
    expect(typed.losses.length + Number('additionalProperties' in typed.schema)).toBe(1);
  },
);
