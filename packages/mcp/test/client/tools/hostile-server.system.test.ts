import { verifies } from '@kernel/testing';
import type { KernelError, Tool } from '@kernel/protocol';
import { expect, test } from 'vitest';
import { checkOutput } from '../../../src/client/tools/output-check.ts';
import { connectMcp } from '../../../src/index.ts';
import { call, connected, misbehaving } from '../programs.ts';

const listed = (name: string, more: object): object => ({ name, inputSchema: { type: 'object' }, ...more });
const check = (outputSchema: Tool['parameters'], structuredContent: unknown): string | undefined =>
  checkOutput(
    { name: 't', description: '', parameters: {}, outputSchema },
    {
      content: [],
      structuredContent,
    },
  );

test('a tool with a bad output schema is not offered and says why; the others of its server are', async () => {
  verifies('mcp.client.bounded');
  const tools = [
    listed('length', { outputSchema: { type: 'object', properties: { a: { minLength: -1 } } } }),
    listed('type', { outputSchema: { type: 'object', properties: { a: { type: 'text' } } } }),
    listed('reference', { outputSchema: { type: 'object', properties: { a: { $ref: '#/$defs/none' } } } }),
    listed('fine', { outputSchema: { type: 'object', properties: { a: { type: 'string' } } } }),
  ];
  const told: string[] = [];
  const onUnavailable = (server: string, error: KernelError): void =>
    void told.push(`${server} ${JSON.stringify(error.data?.['tool'])}`);
  const toolset = await connected({ a: misbehaving('tells', JSON.stringify(tools), '{"a":"b"}') }, { onUnavailable });
  expect(toolset.list().map(({ name }) => name)).toEqual(['mcp__a__fine']);
  expect(told).toEqual(['a "mcp__a__length"', 'a "mcp__a__type"', 'a "mcp__a__reference"']);
  expect((await call(toolset, 'mcp__a__fine')).data).toEqual({ a: 'b' });
  const result = await call(toolset, 'mcp__a__length');
  expect(result).toMatchObject({ isError: true, code: 'TOOL_UNAVAILABLE' });
  expect(result.forLLM).toContain('its output schema: "/properties/a/minLength" must be a whole number');
});

test('a bad entry of a list costs its tool, not the server, and is reported with its name or its place', async () => {
  verifies('mcp.client.bounded');
  const deep = JSON.parse(`${'{"a":'.repeat(2000)}1${'}'.repeat(2000)}`) as object;
  const tools = [
    null,
    'text',
    [1],
    listed('first', {}),
    { inputSchema: { type: 'object' } },
    { ...listed('x', {}), name: 7 },
    listed('hint', { annotations: { readOnlyHint: 'yes' } }),
    listed('hints', { annotations: 'none' }),
    listed('title', { title: 1 }),
    listed('described', { description: {} }),
    listed('meta', { _meta: [1] }),
    listed('output', { outputSchema: true }),
    listed('input', { inputSchema: 'none' }),
    listed('type', { inputSchema: { type: 'array' } }),
    listed('properties', { inputSchema: { type: 'object', properties: [1] } }),
    listed('required', { inputSchema: { type: 'object', required: [1] } }),
    listed('deep', { inputSchema: { type: 'object', properties: { deep } } }),
    listed('icons', { icons: 'none', execution: 1, annotations: { ownHint: 'any' } }),
    listed('__proto__', { annotations: { destructiveHint: true } }),
    listed('last', {}),
  ];
  const told = new Map<unknown, string>();
  const onUnavailable = (_server: string, error: KernelError): void =>
    void told.set(error.data?.['tool'], error.message);
  const toolset = await connected({ a: misbehaving('tells', JSON.stringify(tools), '{}') }, { onUnavailable });
  expect(toolset.list().map(({ name, effect }) => [name, effect])).toEqual([
    ['mcp__a__first', 'external'],
    ['mcp__a__icons', 'external'],
    ['mcp__a____proto__', 'write'],
    ['mcp__a__last', 'external'],
  ]);
  expect([...told]).toEqual([
    ['tools[0]', '"tools[0]" of MCP server "a" cannot be used: it is null, not an object.'],
    ['tools[1]', '"tools[1]" of MCP server "a" cannot be used: it is a string, not an object.'],
    ['tools[2]', '"tools[2]" of MCP server "a" cannot be used: it is an array, not an object.'],
    ['tools[4]', '"tools[4]" of MCP server "a" cannot be used: its name is absent, not a string.'],
    ['tools[5]', '"tools[5]" of MCP server "a" cannot be used: its name is a number, not a string.'],
    ['mcp__a__hint', expect.stringContaining('its annotation readOnlyHint is a string, not a boolean')],
    ['mcp__a__hints', expect.stringContaining('its annotations is a string, not an object')],
    ['mcp__a__title', expect.stringContaining('its title is a number, not a string')],
    ['mcp__a__described', expect.stringContaining('its description is an object, not a string')],
    ['mcp__a__meta', expect.stringContaining('its _meta is an array, not an object')],
    ['mcp__a__output', expect.stringContaining('its outputSchema is a boolean, not an object')],
    ['mcp__a__input', expect.stringContaining('its inputSchema is a string, not an object')],
    ['mcp__a__type', expect.stringContaining('its inputSchema has not the type "object"')],
    [
      'mcp__a__properties',
      expect.stringContaining('its inputSchema: "/properties" must be an object whose values are schemas'),
    ],
    ['mcp__a__required', expect.stringContaining('its inputSchema: "/required" must be an array of property names')],
    ['mcp__a__deep', expect.stringContaining('its definition is nested too deeply')],
  ]);
  expect(await call(toolset, 'mcp__a__hint')).toMatchObject({ isError: true, code: 'TOOL_UNAVAILABLE' });
  expect((await call(toolset, 'mcp__a__last')).isError).not.toBe(true);
});

test('a list that is no list is refused, and says what is wrong', async () => {
  verifies('mcp.client.bounded');
  const refused = connectMcp({ mcpServers: { a: misbehaving('tells', '{"0":1}') } }, { graceMs: 100 });
  await expect(refused).rejects.toMatchObject({ code: 'TOOL_UNAVAILABLE' });
  await expect(refused).rejects.toThrow('"tools" is not an array');
});

test('a result that a pattern of the server cannot check in time is no data, which is told, and the process goes on', async () => {
  verifies('mcp.client.bounded');
  const outputSchema = { type: 'object', properties: { a: { type: 'string', pattern: String.raw`^(a+)+\1$` } } };
  const content = JSON.stringify({ a: `${'a'.repeat(50)}!` });
  const toolset = await connected({
    a: misbehaving('tells', JSON.stringify([listed('t', { outputSchema })]), content),
  });
  const result = await call(toolset, 'mcp__a__t');
  expect(result.isError).toBeUndefined();
  expect(result.data).toBeUndefined();
  expect(result.forLLM).toMatch(/^told\n[^]*it takes too long to check/);
});

test('of a server that lists 100,000 tools only as many are used as it may list, with a warning', async () => {
  verifies('mcp.client.bounded', 'mcp.client.pages');
  const told: string[] = [];
  const onUnavailable = (_: string, error: KernelError): void => void told.push(error.message);
  const toolset = await connected({ a: misbehaving('many', '100000') }, { onUnavailable });
  expect([toolset.list().length, told]).toEqual([
    10_000,
    ['MCP server "a" lists more than 10000 tools; the tools listed until then are used.'],
  ]);
});

test('control, bidirectional and invisible characters of descriptions and titles are written out, in schemas too', async () => {
  verifies('mcp.client.visible', 'text.visible');
  const tags = Array.from('hidden', (letter) => String.fromCodePoint(0xe0000 + (letter.codePointAt(0) ?? 0))).join('');
  const bad = `a\u001B[31m\u0000\u202Eb\u200B\u2066\u00AD\uFEFF\u2028\u3164\u2800${tags}\u0085c`;
  const tool = listed('t', {
    title: bad,
    description: `${bad}\n\té日本語😀`,
    inputSchema: {
      type: 'object',
      properties: { description: { type: 'string', description: bad, enum: [bad] } },
    },
    outputSchema: { type: 'object', description: bad },
    _meta: { usageHint: bad },
  });
  const toolset = await connected({ a: misbehaving('tells', JSON.stringify([tool])) });
  const letters = Array.from('hidden', (letter) => String.raw`\u{e00${letter.charCodeAt(0).toString(16)}}`).join('');
  const shown = String.raw`a\x1b[31m\x00\u202eb\u200b\u2066\xad\ufeff\u2028\u3164\u2800` + letters + String.raw`\x85c`;
  expect(toolset.list()[0]).toMatchObject({
    title: shown,
    description: `${shown}\n\té日本語😀`,
    parameters: { properties: { description: { type: 'string', description: shown, enum: [bad] } } },
    outputSchema: { description: shown },
    metadata: { usageHint: shown },
  });
});

test('progress without end does not keep a call alive for ever', async () => {
  verifies('mcp.client.bounded');
  const toolset = await connected({ a: misbehaving('works-forever') }, { timeoutMs: 10_000, maxCallMs: 400 });
  const result = await call(toolset, 'mcp__a__ok');
  expect(result).toMatchObject({ isError: true, code: 'TOOL_TIMEOUT', outcome: 'timeout' });
  expect(result.forLLM).toContain('sent no result within 400 ms (maxCallMs)');
});

test('a thousand valid addresses match their pattern, and text that was not read passes no `not`', () => {
  const addresses = Array.from({ length: 1000 }, (_, at) => `${'n'.repeat(80)}${at}@mail.example.com`);
  expect(check({ items: { pattern: '^[^@\\s]+@[^@\\s]+\\.[^@\\s]+$' } }, addresses)).toBeUndefined();
  expect(check({ not: { pattern: '^(a+)+$' } }, `${'a'.repeat(50)}!`)).toBeUndefined();
  expect(check({ not: { pattern: String.raw`^(a+)+\1$` } }, `${'a'.repeat(50)}!`)).toContain('takes too long');
});
