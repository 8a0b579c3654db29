import { visibleText } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import { validateForeign } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { test } from 'vitest';
import { toToolResult } from '../src/client/calls/tool-result.ts';
import { readMcpConfig } from '../src/client/config.ts';
import { createServerRedactor } from '../src/client/server-redactor.ts';
import { checkOutput, findSchemaFault } from '../src/client/tools/output-check.ts';
import { createToolNames, visibleSchema } from '../src/client/tools/remote-tool.ts';
import { splitLines } from '../src/split-lines.ts';
import { expectLinear } from '../../../test/setup/growth.ts';

const KIB = 1024;
const many = (size: number, unit: string): string => unit.repeat(Math.ceil(size / unit.length));
const list = (size: number): readonly number[] => Array.from({ length: Math.ceil(size) }, (_, at) => at);
const record = (size: number, value: unknown): object => Object.fromEntries(list(size).map((at) => [`k${at}`, value]));
const tool: Tool = { name: 't', description: '', parameters: { type: 'object' } };
const checkArguments = (text: string): unknown => validateForeign(tool, text);
const redact = createServerRedactor({
  kind: 'http',
  name: 's',
  url: new URL('http://127.0.0.1/'),
  headers: { a: 'a-secret-of-a-test' },
});

test.each<readonly [string, (size: number) => string, (text: string) => unknown]>([
  ['controls in a description', (size) => many(size, '\u0007a'), visibleText],
  ['invisible characters', (size) => many(size, '\u200b\u{e0041}'), visibleText],
  ['lone surrogates', (size) => many(size, '\ud800'), visibleText],
  ['controls in stderr', (size) => many(size, '\u001b['), redact],
  ['beginnings of a secret', (size) => many(size, 'a-secret-of-'), redact],
  ['argument keys', (size) => JSON.stringify(record(size / 10, 1)), checkArguments],
  ['argument text that breaks off', (size) => `{"a":"${many(size, '\\\\')}`, checkArguments],
  [
    'blocks of text',
    (size) => many(size / 16, '<[`'),
    (text) => toToolResult({ content: Array.from(text, (each) => ({ type: 'text', text: each })) }),
  ],
])('%s: read in linear time', async (_, make, work) => {
  verifies('mcp.linear');
  await expectLinear({ make, work, largest: 8 * KIB });
});

test.each<readonly [string, (size: number) => Buffer[]]>([
  ['short lines', (size) => [Buffer.from(many(size, 'a\n'))]],
  ['one line in small pieces', (size) => list(size / 8).map(() => Buffer.from('aaaaaaaa'))],
  ['a line that is too long', (size) => list(size / 8).map(() => Buffer.from('aaaaaaaa'))],
])('the output of a server of %s is split in linear time', async (name, make) => {
  verifies('mcp.linear');
  const maxBytes = name.endsWith('too long') ? 100 : 10_000_000;
  const work = (chunks: readonly Buffer[]): void => {
    const push = splitLines(
      maxBytes,
      () => {},
      () => {},
    );
    chunks.forEach(push);
  };
  await expectLinear({ make, work, largest: 8 * KIB });
});

test.each<readonly [string, object, (size: number) => unknown]>([
  ['items', { items: { type: 'number' } }, list],
  ['unique items', { uniqueItems: true }, list],
  ['equal objects that must be unique', { items: { uniqueItems: true } }, (size) => list(size / 8).map(() => [{}, {}])],
  ['items of one form in two', { items: { anyOf: [{ type: 'string' }, { type: 'number' }] } }, list],
  ['items that must be there', { contains: { const: -1 } }, list],
  ['properties', { additionalProperties: { type: 'number' } }, (size) => record(size, 1)],
  ['property names', { propertyNames: { maxLength: 10 } }, (size) => record(size, 1)],
  ['patterns of names', { patternProperties: { '^k': { type: 'number' } } }, (size) => record(size, 1)],
])('a result of %s is checked in linear time', async (_, outputSchema, make) => {
  verifies('mcp.linear');
  const work = (structuredContent: never): unknown =>
    checkOutput({ ...tool, outputSchema: { ...outputSchema } }, { content: [], structuredContent });
  await expectLinear({ make: (size) => make(size) as never, work, largest: 4 * KIB });
});

test.each<readonly [string, (size: number) => unknown, (value: unknown) => unknown]>([
  ['properties', (size) => ({ properties: record(size, { type: 'string', description: 'a' }) }), visibleSchema],
  [
    'properties',
    (size) => ({ properties: record(size, { type: 'string' }) }),
    (schema) => findSchemaFault(schema as object),
  ],
  [
    'references',
    (size) => ({ $defs: { a: {} }, properties: record(size, { $ref: '#/$defs/a' }) }),
    (schema) => findSchemaFault(schema as object),
  ],
  [
    'alternatives',
    (size) => ({ anyOf: list(size).map((at) => ({ const: at })) }),
    (schema) => findSchemaFault(schema as object),
  ],
])('a schema of many %s is read in linear time', async (_, make, work) => {
  verifies('mcp.linear');
  await expectLinear({ make, work, largest: 4 * KIB });
});

test.each<readonly [string, (size: number) => object]>([
  ['servers', (size) => ({ mcpServers: record(size, { command: 'a' }) })],
  ['arguments', (size) => ({ mcpServers: { a: { command: 'a', args: list(size).map(String) } } })],
  ['variables', (size) => ({ mcpServers: { a: { command: 'a', env: record(size, 'b') } } })],
])('a config of many %s is read in linear time', async (_, make) => {
  verifies('mcp.linear');
  const work = (config: object): unknown => {
    try {
      return readMcpConfig(config);
    } catch (error) {
      return error;
    }
  };
  await expectLinear({ make, work, largest: 2 * KIB });
});

test('many tools of one server are named in linear time, also where their names become the same', async () => {
  verifies('mcp.linear');
  const work = (names: readonly string[]): void => {
    const nameTool = createToolNames();
    for (const name of names) nameTool('server', name);
  };
  for (const unit of ['tool', 'ä', ' '])
    await expectLinear({ make: (size) => list(size).map((at) => `${unit}${at}`), work, largest: 4 * KIB });
});
