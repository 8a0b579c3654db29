import { withCodeMode } from '@kernel/code-mode';
import type { JsonSchema, Toolset } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';

/** The declaration of a tool with this input. */
function declared(parameters: JsonSchema): string {
  const tools: Toolset = toToolset({
    list: () => [{ name: 'it', description: 'It.', parameters, effect: 'read' }],
    call: async () => ({ forLLM: '' }),
  });
  return /\nit\(input: (.*)\): Promise<unknown>;/.exec(withCodeMode(tools).list()[0]?.description ?? '')?.[1] ?? '';
}

test('a schema that refers to itself is written out where it stands, and is unknown where it would go on', () => {
  verifies('codemode.types');
  const type = declared({ type: 'object', properties: { name: { type: 'string' }, next: { $ref: '#' } } });
  expect(type).toBe('{ name?: string; next?: { name?: string; next?: unknown } }');
});

test('parts of a schema are joined with the properties beside them', () => {
  verifies('codemode.types');
  const type = declared({
    type: 'object',
    properties: { a: { type: 'string' } },
    allOf: [{ type: 'object', properties: { b: { type: 'number' } } }],
  });
  expect(type).toBe('{ a?: string } & { b?: number }');
});

test('no schema of a stranger takes long to declare, or fails', () => {
  verifies('codemode.types');
  const names = Array.from({ length: 60 }, (_, at) => `d${at}`);
  const every = names.map((name) => ({ $ref: `#/$defs/${name}` }));
  const $defs = Object.fromEntries(names.map((name) => [name, { anyOf: every }]));
  expect(declared({ type: 'object', properties: { a: { $ref: '#/$defs/d0' } }, $defs })).toBe('{ a?: unknown }');
  let deep: JsonSchema = { type: 'string' };
  for (let at = 0; at < 20_000; at += 1) deep = { anyOf: [deep] };
  expect(declared({ type: 'object', properties: { a: deep } })).toBe('{ a?: unknown }');
  const many = Array.from({ length: 100_000 }, (_, at) => `value ${at}`);
  expect(declared({ type: 'object', properties: { a: { type: 'string', enum: many } } })).toBe('{ a?: string }');
});
