import type { JsonSchema, Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { compileSchema } from '@kernel/schema';
import { expect, test } from 'vitest';
import { type GrammarOptions, toGbnf, toJsonSchemaUnion } from '../../src/grammar/index.ts';
import { gbnfMatcher } from './gbnf-matcher.ts';
import { CASES } from './cases.ts';

const accepts = (schema: JsonSchema | readonly Tool[], options?: GrammarOptions): ((text: string) => boolean) =>
  gbnfMatcher(toGbnf(schema, options).grammar);

const weather: Tool = Object.freeze({
  name: 'get_weather',
  description: '',
  parameters: Object.freeze({
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  }),
});
const tools: readonly Tool[] = [
  weather,
  { name: 'get-weather', description: '', parameters: { type: 'object', properties: {}, additionalProperties: false } },
  {
    name: 'tree',
    description: '',
    parameters: { type: 'object', properties: { kids: { type: 'array', items: { $ref: '#' } } } },
  },
];

test.each(CASES)('$name', ({ schema, yes, no, options }) => {
  verifies('grammar.gbnf.enum', 'grammar.gbnf.optional', 'grammar.gbnf.recursive', 'grammar.gbnf.names');
  const matches = accepts(schema, options);
  for (const text of yes) expect({ text, accepted: matches(text) }).toEqual({ text, accepted: true });
  for (const text of no) expect({ text, accepted: matches(text) }).toEqual({ text, accepted: false });
});

test('a grammar of tools accepts one call of one of them, and nothing else', () => {
  verifies('grammar.gbnf.tools');
  const matches = accepts(tools);
  expect(matches('{"name": "get_weather", "arguments": {"city": "Oslo"}}')).toBe(true);
  expect(matches('{\n  "name":"get-weather","arguments":{}\n}')).toBe(true);
  expect(matches('{"name":"tree","arguments":{"kids":[{"kids":[]},{}],"x":1}}')).toBe(true);
  for (const text of [
    '{"name":"get_weather","arguments":{}}',
    '{"name":"get-weather","arguments":{"city":"Oslo"}}',
    '{"name":"other","arguments":{}}',
    '{"name":"get-weather"}',
    'Hello',
    '',
  ])
    expect(matches(text)).toBe(false);
  expect(accepts(tools, { compact: true })('{"name": "get-weather","arguments":{}}')).toBe(false);
});

test('the text-or-call variant also accepts free text, but no malformed call', () => {
  verifies('grammar.gbnf.tools');
  const matches = accepts(tools, { text: true });
  for (const text of ['Hello there.', 'é {"x"}\nmore', '{"name":"get-weather","arguments":{}}'])
    expect(matches(text)).toBe(true);
  for (const text of ['{"name":"rm","arguments":{}}', ' {"name":"rm"}', '{']) expect(matches(text)).toBe(false);
});

test('rule names have letters, digits and hyphens only, and equal input gives equal bytes', () => {
  verifies('grammar.gbnf.names');
  const copy = JSON.parse(JSON.stringify(tools)) as readonly Tool[];
  const { grammar } = toGbnf(tools);
  expect(toGbnf(copy).grammar).toBe(grammar);
  expect(toGbnf(tools).grammar).toBe(grammar);
  const names = grammar
    .trimEnd()
    .split('\n')
    .map((line) => line.split(' ::= ')[0] ?? '');
  for (const name of names) expect(name).toMatch(/^[A-Za-z0-9-]+$/);
  expect(new Set(names).size).toBe(names.length);
});

test.each([
  [{ type: 'object', not: { required: ['a'] } }, '', 'not', 'weaker'],
  [{ type: 'object', properties: { a: { type: 'number', maximum: 5 } } }, '/properties/a', 'maximum', 'weaker'],
  [{ type: 'object', properties: { a: { type: 'string', pattern: '^(?=a)b' } } }, '/properties/a', 'pattern', 'weaker'],
  [{ type: 'object', properties: { a: { type: 'string', format: 'date' } } }, '/properties/a', 'format', 'weaker'],
  [{ type: 'array', uniqueItems: true }, '', 'uniqueItems', 'weaker'],
  [{ type: 'array', items: { type: 'string', maxLength: 50_000 } }, '/items', 'maxLength', 'weaker'],
  [{ type: 'object', patternProperties: { '^x': { type: 'null' } } }, '', 'patternProperties', 'weaker'],
  [{ oneOf: [{ type: 'integer' }, { type: 'number' }] }, '', 'oneOf', 'weaker'],
  [{ type: 'integer', multipleOf: 5 }, '', 'multipleOf', 'weaker'],
] as const)('%j is warned of at %s: %s is %s', (schema, path, keyword, effect) => {
  verifies('grammar.gbnf.warnings');
  expect(toGbnf(schema).warnings).toEqual([{ path, keyword, effect }]);
});

test('closed objects and tools are named in their warnings', () => {
  verifies('grammar.gbnf.warnings');
  expect(toGbnf({ type: 'object' }, { closed: true }).warnings).toEqual([
    { path: '', keyword: 'additionalProperties', effect: 'stronger' },
  ]);
  const [warning] = toGbnf([{ ...weather, parameters: { type: 'object', minProperties: 1 } }]).warnings;
  expect(warning).toEqual({ path: '', keyword: 'minProperties', effect: 'weaker', tool: 'get_weather' });
});

test.each([
  [{ type: 'object', properties: { a: false }, required: ['a'] }],
  [{ allOf: [{ type: 'string' }, { type: 'integer' }] }],
  [{ type: 'string', enum: [1, 2] }],
  [{ type: 'integer', minimum: 5, maximum: 4 }],
  [{ type: 'array', items: false, minItems: 1 }],
  [{ type: 'object', properties: { next: { $ref: '#' } }, required: ['next'] }],
  [{ type: 'objekt' }],
  [{ type: 'string', pattern: '(' }],
  [{ $ref: 'https://example.com/schema.json' }],
  [{ $ref: '#/$defs/none' }],
])('%j throws TOOL_SCHEMA_INVALID', (schema) => {
  verifies('grammar.gbnf.warnings');
  expect(() => toGbnf(schema)).toThrow(expect.objectContaining({ code: 'TOOL_SCHEMA_INVALID' }));
});

test('no tools, and two of one name, are rejected', () => {
  expect(() => toGbnf([])).toThrow(/no tools/);
  expect(() => toGbnf([weather, weather])).toThrow(expect.objectContaining({ code: 'TOOL_ALREADY_EXISTS' }));
});

test('a union schema accepts one call of one of the tools, references included', () => {
  verifies('grammar.gbnf.tools');
  const validator = compileSchema(toJsonSchemaUnion(tools));
  expect(validator.test({ name: 'tree', arguments: { kids: [{ kids: [] }] } })).toBe(true);
  expect(validator.test({ name: 'tree', arguments: { kids: [{ kids: [1] }] } })).toBe(false);
  expect(validator.test({ name: 'get_weather', arguments: {} })).toBe(false);
  expect(validator.test({ name: 'other', arguments: {} })).toBe(false);
});
