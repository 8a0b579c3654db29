import { verifies } from '@kernel/testing';
import type { KernelError } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { repairInputSchema } from '../../../src/client/tools/repair-schema.ts';
import { startJsonServer } from '../../fixtures/json-server.ts';
import { connected } from '../programs.ts';

const object = (properties: object, more: object = {}): object => ({ type: 'object', properties, ...more });

test.each<readonly [string, unknown, object]>([
  [
    'null for what is absent',
    object({ a: { type: 'string', enum: null } }, { required: null }),
    object({ a: { type: 'string' } }),
  ],
  ['no schema', null, object({})],
  ['the empty arrays of PHP', object([], { $defs: [] }), object({}, { $defs: {} })],
  ['a null that is data', object({ a: { const: null, default: null } }), object({ a: { const: null, default: null } })],
  ['the type any', object({ a: { type: 'any' }, b: { type: ['any', 'null'] } }), object({ a: {}, b: {} })],
  [
    'types of other languages',
    object({ a: { type: 'STRING' }, b: { type: 'int' } }),
    object({ a: { type: 'string' }, b: { type: 'integer' } }),
  ],
  ['bounds of draft 4', object({ a: { minimum: 1, exclusiveMinimum: true } }), object({ a: { exclusiveMinimum: 1 } })],
  [
    'required of draft 3',
    object({ a: { type: 'string', required: true } }),
    object({ a: { type: 'string' } }, { required: ['a'] }),
  ],
  ['required among the properties', object({ a: {}, required: ['a'] }), object({ a: {} }, { required: ['a'] })],
  ['a type among the properties', object({ a: {}, type: 'object' }), object({ a: {} })],
  ['a property that is true', object({ a: true }), object({ a: {} })],
  ['a property that is the name of a type', object({ a: 'string' }), object({ a: { type: 'string' } })],
  [
    'a property named __proto__',
    JSON.parse('{"type":"object","properties":{"__proto__":{"type":"any"}}}'),
    JSON.parse('{"type":"object","properties":{"__proto__":{}}}') as object,
  ],
  [
    'a reference under the other keyword',
    object({ a: { $ref: '#/definitions/b' } }, { $defs: { b: {} } }),
    object({ a: { $ref: '#/$defs/b' } }, { $defs: { b: {} } }),
  ],
  ['a pattern of another language', object({ a: { pattern: '(?i)a' } }), object({ a: {} })],
  ['a union at the root', { anyOf: [object({ a: {} })] }, { anyOf: [object({ a: {} })], type: 'object' }],
  [
    'a sound schema',
    object({ type: { type: 'string' }, required: { type: 'boolean' } }),
    object({ type: { type: 'string' }, required: { type: 'boolean' } }),
  ],
])('a tool with %s can be used', (_, schema, repaired) => {
  verifies('mcp.client.bounded');
  expect(repairInputSchema(schema)).toEqual(repaired);
});

test('a tool whose schema no vendor takes is set aside by name, and the others of its server are offered', async () => {
  verifies('mcp.client.bounded');
  const { url } = await startJsonServer({
    'tools/list': () => ({
      tools: [
        { name: 'sound', inputSchema: object({ q: { type: 'string' } }), description: null, annotations: null },
        { name: 'dangling', inputSchema: object({ a: { $ref: '#/$defs/None' } }) },
        { name: 'text', inputSchema: object({ a: 'how many' }) },
        { name: 'unknown', inputSchema: object({ a: { type: 'money' } }) },
        { name: 'array', inputSchema: { type: 'array' } },
      ],
    }),
  });
  const told: unknown[] = [];
  const onUnavailable = (_server: string, error: KernelError): void => void told.push(error.data?.['tool']);
  const toolset = await connected({ a: { url } }, { onUnavailable });
  expect(toolset.list().map(({ name }) => name)).toEqual(['mcp__a__sound']);
  expect(told).toEqual(['mcp__a__dangling', 'mcp__a__text', 'mcp__a__unknown', 'mcp__a__array']);
});
