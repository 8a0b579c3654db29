import type { Message, ProviderEvent, Tool, ToolMessage } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { renamed } from '../../src/schema-dialects/property-names.ts';

const VALID = /^[a-zA-Z0-9_.-]{1,64}$/;
const LONG = 'x'.repeat(65);
const search: Tool = {
  name: 'search',
  description: 'Searches.',
  parameters: {
    type: 'object',
    properties: {
      'filter[status]': { type: 'string' },
      page_size: { type: 'integer' },
      'page size': { type: 'integer' },
      größe: { $ref: '#/properties/a~1b/properties/c%20d' },
      'a/b': { type: 'object', properties: { 'c d': { type: 'string' } }, required: ['c d'] },
      [LONG]: { oneOf: [{ type: 'object', properties: { $top: {} }, default: { $top: 1 } }, { type: 'null' }] },
    },
    required: ['filter[status]', 'page_size'],
    examples: [{ 'filter[status]': 'open' }],
  },
};

/** The names of all properties, and those that a list requires. */
function namesIn(schema: unknown): readonly string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  return Object.entries(schema).flatMap(([key, value]) => {
    const own = key === 'properties' ? Object.keys(value as object) : key === 'required' ? (value as string[]) : [];
    return [...own, ...namesIn(value)];
  });
}

const renaming = renamed(search, VALID);
const wireOf = (name: string): string => renaming?.toWire(JSON.stringify({ [name]: 1 })).slice(2, -4) ?? '';

test('every property has a name that the vendor takes, at any depth, and two never become one', () => {
  verifies('providers.refusals.names');
  const names = namesIn(renaming?.tool.parameters);
  expect(names.filter((name) => !VALID.test(name))).toEqual([]);
  const top = Object.keys(renaming?.tool.parameters['properties'] as object);
  expect(new Set(top).size).toBe(6);
  expect(top).toContain('page_size');
  expect(JSON.stringify(renaming?.tool.parameters['examples'])).toContain(wireOf('filter[status]'));
  expect(renaming?.tool.parameters['properties']).toMatchObject({
    [wireOf('größe')]: { $ref: `#/properties/${wireOf('a/b')}/properties/${wireOf('c d')}` },
  });
});

test('arguments come back with the names of the tool, to the last digit', () => {
  verifies('providers.refusals.names');
  const text =
    '{ "filter[status]" : "say \\"page size\\": no", "page size":12345678901234567890, "a/b":{"c d":"größe"} }';
  const wire = renaming?.toWire(text) ?? '';
  expect(Object.keys(JSON.parse(wire)).every((name) => VALID.test(name))).toBe(true);
  expect(renaming?.fromWire(wire)).toBe(text);
});

test('a tool whose names are valid stays the same', () => {
  verifies('providers.refusals.names');
  expect(renamed({ ...search, parameters: { properties: { a: {}, 'b.c-d_e': {} } } }, VALID)).toBeUndefined();
});

const ask = async (messages: readonly Message[], json = `{"${wireOf('filter[status]')}":"open","page_size":5}`) => {
  let body = '';
  const pieces = json.split('').map((partial_json) => ({ type: 'input_json_delta', partial_json }));
  const events = [
    { type: 'message_start', message: { content: [], usage: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 't', name: 'search', input: {} } },
    ...pieces.map((delta) => ({ type: 'content_block_delta', index: 0, delta })),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: {} },
    { type: 'message_stop' },
  ];
  const fetch = async (_: unknown, init: { body: string }): Promise<Response> => {
    body = init.body;
    const text = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } });
  };
  const provider = createProvider({ name: 'anthropic', token: 'k', fetch } as never);
  const all: ProviderEvent[] = [];
  for await (const event of provider.stream({ model: 'claude-sonnet-4-5', messages, tools: [search] })) all.push(event);
  return { all, body };
};

test('a call that arrives in pieces is told and made with the names of the tool', async () => {
  verifies('providers.refusals.names');
  const { all } = await ask([{ role: 'user', content: 'go' }]);
  const told = all.map((event) => (event.type === 'tool-call-delta' ? event.arguments : '')).join('');
  expect(told).toBe('{"filter[status]":"open","page_size":5}');
  const end = all.at(-1);
  expect(end?.type === 'message-end' && end.message.content).toMatchObject([{ arguments: told }]);
});

test('the model reads its calls and what was wrong with them with the names that it knows', async () => {
  verifies('providers.refusals.names');
  const call = { type: 'tool-call', id: '1', name: 'search', arguments: '{"filter[status]":5}' } as const;
  const content = 'Error: /filter[status] must be string, "page size" is missing';
  const failed: ToolMessage = { role: 'tool', toolCallId: '1', name: 'search', content, isError: true };
  const { body } = await ask([{ role: 'user', content: 'go' }, { role: 'assistant', content: [call] }, failed]);
  const messages = JSON.stringify((JSON.parse(body) as { messages: unknown }).messages);
  expect(messages).toContain(`{"${wireOf('filter[status]')}":5}`);
  expect(messages).not.toContain('filter[status]');
  expect(messages).not.toContain('page size');
});
