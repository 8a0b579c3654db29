import { type JsonSchema, KernelError, type Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { compileSchema } from '@kernel/schema';
import { expect, test } from 'vitest';
import { expectLinear, workOf } from '../../../test/setup/growth.ts';
import { failureText } from '../src/call/failure-text.ts';
import { toGbnf } from '../src/grammar/index.ts';
import { bindTool, createRegistry, type ToolBinding, type ToolRegistry } from '../src/index.ts';

const KIB = 1024;
const item = (schema: object): JsonSchema => ({ type: 'object', properties: { a: { type: 'array', items: schema } } });
const members: JsonSchema = {
  type: 'object',
  properties: { a: { type: 'object', additionalProperties: { type: 'number' } } },
};
const textAndNumber: JsonSchema = { type: 'object', properties: { a: { type: 'string' }, n: { type: 'number' } } };
const record: JsonSchema = item({ type: 'object', properties: { b: { type: 'number' } } });
const many = (size: number, unit: string): string => unit.repeat(Math.ceil(size / unit.length));
const list = (size: number, unit: string): string => `{"a":[${many(size, `${unit},`)}${unit}]}`;
const keys = (size: number, value: string): string =>
  `{"a":{${Array.from({ length: Math.ceil(size / 10) }, (_, at) => `"k${at}":${value}`).join()}}}`;

const ARGUMENTS: readonly (readonly [string, JsonSchema, (size: number) => string])[] = [
  ['numbers as texts', item({ type: 'number' }), (size) => list(size, '"1"')],
  ['nulls in a list', item({ type: 'number' }), (size) => list(size, 'null')],
  ['optional nulls', record, (size) => list(size, '{"b":null}')],
  ['members of the wrong type', members, (size) => keys(size, '"1"')],
  ['members that are null', members, (size) => keys(size, 'null')],
  ['unknown members', textAndNumber, (size) => keys(size, '1').slice(5, -1)],
  ['values of no branch', item({ anyOf: [{ type: 'number' }, { type: 'null' }] }), (size) => list(size, '"x"')],
  ['values near an enum', item({ enum: ['abcdefgh', 'hgfedcba'] }), (size) => list(2 * size, '"abcdefgx"')],
  ['JSON in a text', item({ type: 'number' }), (size) => JSON.stringify({ a: list(size, '"1"').slice(5, -1) })],
  ['white space in a text', item({ type: 'number' }), (size) => `{"a":"[${many(size, ' ')}"}`],
  ['colons in a text', textAndNumber, (size) => `{"a":"${many(size, ':')}"}`],
  ['backslashes', textAndNumber, (size) => `{"a":"${many(size, '\\')}`],
  ['quotation marks', textAndNumber, (size) => `"${many(size, '\\"')}"`],
  ['the digits of a number', textAndNumber, (size) => `{"n":${many(size, '1')}}`],
  ['nested arrays', textAndNumber, (size) => `{"a":${many(size / 2, '[')}${many(size / 2, ']')}}`],
];

test.each(ARGUMENTS)('arguments with %s are checked and repaired in linear time', async (_, schema, make) => {
  verifies('tools.execute.linear');
  const registry = createRegistry([bindTool({ name: 't', description: '', parameters: schema }, () => 'ran')]);
  await expectLinear({ make, work: (raw) => registry.execute('t', raw), largest: 2 * KIB });
});

test('repairs take linear time in an object of many long keys, most of which need none', async () => {
  verifies('tools.execute.linear');
  const registry = createRegistry([bindTool({ name: 't', description: '', parameters: members }, () => 'ran')]);
  // If each repair copied the object, the time would grow with the number of repairs times that of keys. One round
  // makes a hundred repairs.
  const make = (repairs: number): string => {
    const member = (at: number): string => `"${'k'.repeat(40)}${at}":${at % 50 === 0 ? '"1"' : '1'}`;
    return `{"a":{${Array.from({ length: 50 * repairs }, (_, at) => member(at)).join()}}}`;
  };
  const { repairs, isError } = await registry.execute('t', make(96));
  expect([repairs?.length, isError]).toEqual([96, undefined]);
  await expectLinear({ make, work: (raw) => registry.execute('t', raw), largest: 96 });
});

test.each<readonly [string, (size: number) => string]>([
  ['base64', (size) => many(size, 'QUJDREVG/R0hJSktMTU5PU/')],
  ['modules', (size) => many(size, '/node_modules')],
  ['file URLs', (size) => many(size, 'file://')],
  ['source files', (size) => many(size, '/a.ts:1')],
  ['white space', (size) => many(size, ' ')],
])('the message of a handler that threw %s is read in linear time', async (_, make) => {
  verifies('tools.execute.linear');
  await expectLinear({ make, work: failureText, largest: 16 * KIB });
});

test('duplicate keys are looked for in linear time', async () => {
  verifies('tools.call.duplicateKeys');
  const binding = bindTool(
    { name: 'send', description: '', effect: 'write', parameters: { type: 'object' } },
    () => 'ok',
  );
  const make = (count: number): string =>
    JSON.stringify({
      path: '\\"'.repeat(count),
      to: Array.from({ length: count }, (_, n) => ({ [`k${n}`]: '\\' })),
    });
  const work = (raw: string) => createRegistry([binding]).execute('send', raw);
  expect((await work(make(8))).isError).toBeUndefined();
  await expectLinear({ make, work, largest: 2 * KIB });
});

const e = { $ref: '#/$defs/e' };
const recursive: JsonSchema = {
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

test('wrong arguments of a recursive schema are refused in time linear in their depth', async () => {
  verifies('tools.execute.schema');
  const registry = createRegistry([bindTool({ name: 't', description: '', parameters: recursive }, () => 'ran')]);
  const make = (depth: number): string => `{"e":${'{"neg":'.repeat(depth)}"x"${'}'.repeat(depth)}}`;
  const work = async (raw: string): Promise<void> => {
    const { code, forLLM } = await registry.execute('t', raw);
    expect([code, forLLM.length <= 300]).toEqual(['ARGUMENTS_INVALID', true]);
  };
  await expectLinear({ make, work, largest: 192 });
});

/** Each definition refers to the next one twice. */
function doubling(levels: number, node: (ref: object) => object): JsonSchema {
  const definitions = Array.from({ length: levels }, (_, at) => [
    `d${at}`,
    at === levels - 1 ? { type: 'string' } : node({ $ref: `#/$defs/d${at + 1}` }),
  ]);
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(definitions) };
}

test.each<readonly [string, JsonSchema]>([
  ['allOf', doubling(30, (ref) => ({ allOf: [ref, ref] }))],
  ['anyOf in allOf', doubling(30, (ref) => ({ allOf: [{ anyOf: [ref, ref] }] }))],
  ['oneOf', doubling(30, (ref) => ({ oneOf: [ref, ref] }))],
  ['oneOf of types', doubling(30, (ref) => ({ oneOf: [ref, { type: 'array', items: ref }] }))],
  ['a reference beside allOf', doubling(30, (ref) => ({ ...ref, allOf: [ref] }))],
  [
    'members that are merged',
    doubling(30, (ref) => ({ allOf: [{ properties: { a: ref } }, { properties: { a: ref } }] })),
  ],
])(
  'a schema whose references double at each level by %s is refused or converted after little work',
  async (_, schema) => {
    verifies('grammar.budget');
    const convert = (): number | string => {
      try {
        return toGbnf(schema).grammar.length;
      } catch (error) {
        return KernelError.is(error) ? error.code : String(error);
      }
    };
    const made = convert();
    expect(made === 'TOOL_SCHEMA_INVALID' || Number(made) < 1_000_000).toBe(true);
    expect(await workOf(convert)).toBeLessThan(10_000_000);
  },
);

test('converting 150 tools takes little work, and a fifth of it when they were converted before', async () => {
  const properties = Object.fromEntries(
    Array.from({ length: 8 }, (_, at) => [
      `field_${at}`,
      at % 2 === 0 ? { type: 'string', enum: ['one', 'two'] } : { type: ['integer', 'null'], description: 'A number.' },
    ]),
  );
  const make = (): readonly Tool[] =>
    Array.from({ length: 150 }, (_, at) =>
      Object.freeze({
        name: `tool_${at}`,
        description: '',
        parameters: Object.freeze({ type: 'object', properties, required: ['field_1'] }),
      }),
    );
  const converted = make();
  const first = await workOf(() => toGbnf(converted));
  expect(first).toBeLessThan(8_000_000);
  expect(await workOf(() => toGbnf(converted))).toBeLessThan(first / 5);
});

const fileParameters = {
  type: 'object',
  properties: {
    path: { type: 'string', minLength: 1 },
    mode: { enum: ['read', 'write', 'list'] },
    limit: { type: 'integer', minimum: 1, maximum: 1000 },
    filter: {
      type: 'object',
      properties: { tags: { type: 'array', items: { type: 'string' } } },
      required: ['tags'],
      additionalProperties: false,
    },
  },
  required: ['path', 'mode'],
  additionalProperties: false,
};
const text = JSON.stringify({ path: 'src/index.ts', mode: 'read', limit: 20, filter: { tags: ['a', 'b', 'c'] } });

test('a schema is compiled with little work, and a value checked with a fiftieth of it', async () => {
  const validator = compileSchema(fileParameters);
  const value: unknown = JSON.parse(text);
  expect(validator.test(value)).toBe(true);
  expect(await workOf(() => compileSchema(fileParameters))).toBeLessThan(5000);
  expect(await workOf(() => validator.test(value))).toBeLessThan(100);
});

const tools = (size: number): readonly ToolBinding[] =>
  Array.from({ length: size }, (_, at) =>
    bindTool({ name: `tool_${at}`, description: 'd', parameters: { type: 'object' } }, () => 'ok'),
  );

test('tools are registered in linear time', async () => {
  await expectLinear({ make: tools, work: createRegistry, largest: 2 * KIB });
});

test('an unknown name is answered in linear time', async () => {
  const work = async (registry: ToolRegistry): Promise<void> =>
    expect((await registry.execute('nowhere')).code).toBe('TOOL_NOT_FOUND');
  await expectLinear({ make: (size) => createRegistry(tools(size)), work, largest: 2 * KIB });
});

test('list() between changes takes the same work for a thousand tools as for ten', async () => {
  verifies('tools.list.cached');
  const listed = (size: number): Promise<number> => {
    const registry = createRegistry(tools(size));
    registry.list();
    return workOf(() => registry.list());
  };
  expect(await listed(1000)).toBe(await listed(10));
});
