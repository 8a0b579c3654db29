import type { JsonSchema } from '@kernel/protocol';
import { timeGrowth, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { failureText } from '../src/call/failure-text.ts';
import { bindTool, createRegistry } from '../src/index.ts';

const KIB = 1024;
const item = (schema: object): JsonSchema => ({ type: 'object', properties: { a: { type: 'array', items: schema } } });
const members: JsonSchema = {
  type: 'object',
  properties: { a: { type: 'object', additionalProperties: { type: 'number' } } },
};
const text: JsonSchema = { type: 'object', properties: { a: { type: 'string' }, n: { type: 'number' } } };
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
  ['unknown members', text, (size) => keys(size, '1').slice(5, -1)],
  ['values of no branch', item({ anyOf: [{ type: 'number' }, { type: 'null' }] }), (size) => list(size, '"x"')],
  ['values near an enum', item({ enum: ['abcdefgh', 'hgfedcba'] }), (size) => list(size, '"abcdefgx"')],
  ['JSON in a text', item({ type: 'number' }), (size) => JSON.stringify({ a: list(size, '"1"').slice(5, -1) })],
  ['white space in a text', item({ type: 'number' }), (size) => `{"a":"[${many(size, ' ')}"}`],
  ['colons in a text', text, (size) => `{"a":"${many(size, ':')}"}`],
  ['backslashes', text, (size) => `{"a":"${many(size, '\\')}`],
  ['quotation marks', text, (size) => `"${many(size, '\\"')}"`],
  ['the digits of a number', text, (size) => `{"n":${many(size, '1')}}`],
  ['nested arrays', text, (size) => `{"a":${many(size / 2, '[')}${many(size / 2, ']')}}`],
];

test.each(ARGUMENTS)('arguments with %s are checked and repaired in linear time', async (_, schema, make) => {
  verifies('tools.execute.linear');
  const registry = createRegistry([bindTool({ name: 't', description: '', parameters: schema }, () => 'ran')]);
  const growth = await timeGrowth({ make, work: (raw) => registry.execute('t', raw), largest: 32 * KIB });
  expect(growth).toBeLessThan(3);
});

test('repairs take linear time in an object of many long keys, most of which need none', async () => {
  verifies('tools.execute.linear');
  const registry = createRegistry([bindTool({ name: 't', description: '', parameters: members }, () => 'ran')]);
  // If each repair copied the object, the time would grow with the number of repairs times that of keys. One round makes a hundred repairs.
  const make = (repairs: number): string => {
    const member = (at: number): string => `"${'k'.repeat(40)}${at}":${at % 50 === 0 ? '"1"' : '1'}`;
    return `{"a":{${Array.from({ length: 50 * repairs }, (_, at) => member(at)).join()}}}`;
  };
  const { repairs, isError } = await registry.execute('t', make(96));
  expect([repairs?.length, isError]).toEqual([96, undefined]);
  const growth = await timeGrowth({ make, work: (raw) => registry.execute('t', raw), largest: 96, doublings: 3 });
  expect(growth).toBeLessThan(3);
});

test.each<readonly [string, (size: number) => string]>([
  ['base64', (size) => many(size, 'QUJDREVG/R0hJSktMTU5PU/')],
  ['modules', (size) => many(size, '/node_modules')],
  ['file URLs', (size) => many(size, 'file://')],
  ['source files', (size) => many(size, '/a.ts:1')],
  ['white space', (size) => many(size, ' ')],
])('the message of a handler that threw %s is read in linear time', async (_, make) => {
  verifies('tools.execute.linear');
  expect(await timeGrowth({ make, work: failureText, largest: 256 * KIB })).toBeLessThan(3);
});
