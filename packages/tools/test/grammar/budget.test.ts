import type { JsonSchema } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { toGbnf } from '../../src/grammar/index.ts';

/** Each definition refers to the next one twice. */
function doubling(levels: number, node: (ref: object) => object): JsonSchema {
  const definitions = Array.from({ length: levels }, (_, at) => [
    `d${at}`,
    at === levels - 1 ? { type: 'string' } : node({ $ref: `#/$defs/d${at + 1}` }),
  ]);
  return { type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs: Object.fromEntries(definitions) };
}

test('a schema that becomes too large is TOOL_SCHEMA_INVALID, with a hint', () => {
  verifies('grammar.budget');
  const schema = doubling(30, (ref) => ({ allOf: [{ properties: { a: ref } }, { properties: { a: ref } }] }));
  expect(() => toGbnf(schema)).toThrow(
    expect.objectContaining({
      code: 'TOOL_SCHEMA_INVALID',
      message: expect.stringContaining('becomes too large') as string,
      hint: expect.stringContaining('fewer references') as string,
    }),
  );
});

test('a schema that uses one definition a thousand times is converted', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 1000 }, (_, at) => [`p${at}`, { $ref: '#/$defs/point', description: `Number ${at}.` }]),
  );
  const point = { type: 'object', properties: { x: { type: 'number' } } };
  expect(toGbnf({ type: 'object', properties, $defs: { point } }).grammar).toContain('p999');
});
