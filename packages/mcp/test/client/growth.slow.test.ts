import { visibleText } from '@kernel/internal';
import type { Tool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { toLine } from '../../src/client/connection/request-failure.ts';
import { checkOutput } from '../../src/client/tools/output-check.ts';
import { orderedDelivery } from '../../src/client/transport/stdio-link.ts';
import { connectMcp } from '../../src/index.ts';
import { connected } from './programs.ts';
import { type Params, startJsonServer } from '../fixtures/json-server.ts';
import { expectLinear } from '../../../../test/setup/growth.ts';

const COMPLETE = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' };
const DISCOVERED = { ...COMPLETE, supportedVersions: ['2026-07-28'], capabilities: { tools: {}, resources: {} } };
const tool = (description: string): object => ({ name: 'pay', description, inputSchema: { type: 'object' } });
const check = (outputSchema: Tool['parameters'], structuredContent: unknown): string | undefined =>
  checkOutput({ name: 't', description: '', parameters: {}, outputSchema }, { content: [], structuredContent });

test('resources are listed in linear time, and at most 10,000', async () => {
  verifies('mcp.client.contents', 'mcp.linear');
  let count = 0;
  const { url } = await startJsonServer({
    'server/discover': () => DISCOVERED,
    'tools/list': () => ({ ...COMPLETE, tools: [] }),
    'resources/list': ({ cursor }) => {
      const start = Number(cursor ?? 0);
      const end = Math.min(start + 1000, count);
      const resources = Array.from({ length: end - start }, (_, at) => {
        const name = `file\u200B ${start + at}`;
        return { uri: `file:///${start + at}`, name, description: name.repeat(5), mimeType: 'text/plain' };
      });
      return { ...COMPLETE, resources, ...(end < count ? { nextCursor: String(end) } : {}) };
    },
  });
  const toolset = await connected({ a: { url } });
  await expectLinear({
    isRemote: true,
    make: (size) => size,
    async work(size) {
      count = size;
      expect(await toolset.listResources()).toHaveLength(size);
    },
    largest: 4000,
  });
  count = 25_000;
  expect(await toolset.listResources()).toHaveLength(10_000);
});

test('a discovery of megabytes is read in a time that grows with its length', async () => {
  verifies('mcp.linear', 'mcp.client.bounded');
  const { url } = await startJsonServer({
    'server/discover': (params) => discovery(params),
    'tools/list': () => ({ ...COMPLETE, tools: [tool('One.')] }),
  });
  let size = 0;
  const discovery = (_params: Params): object => ({
    ...DISCOVERED,
    supportedVersions: ['2026-07-28', ...Array.from({ length: size / 20 }, (_, at) => `2027-${at}`)],
    capabilities: { tools: {}, experimental: { x: { text: 'x'.repeat(size) } } },
    instructions: '\u001B[2J'.repeat(size / 8),
    serverInfo: { name: 'n'.repeat(size), version: '1' },
  });
  await expectLinear({
    isRemote: true,
    make: (length) => length,
    async work(length) {
      size = length;
      const toolset = await connectMcp({ mcpServers: { a: { url } } });
      expect(toolset.list()).toHaveLength(1);
      await toolset.close();
    },
    largest: 1_048_576,
  });
});

test.each<readonly [string, (size: number) => unknown]>([
  ['objects that must be unique', (size) => Array.from({ length: size / 16 }, (_, at) => ({ a: at }))],
  ['numbers', (size) => Array.from({ length: size / 4 }, (_, at) => at)],
  ['a long text', (size) => 'a'.repeat(size)],
])('checking a result of %s takes linear time', async (_, make) => {
  verifies('mcp.client.bounded');
  const schema = { uniqueItems: true, pattern: '^a*$', items: { anyOf: [{ type: 'string' }, { not: { const: {} } }] } };
  await expectLinear({ make, work: (value) => check(schema, value), largest: 8192 });
});

test.each<readonly [string, (size: number) => string]>([
  ['white space', (size) => ' '.repeat(size)],
  ['full stops', (size) => '.'.repeat(size)],
  ['invisible characters', (size) => '\u200B'.repeat(size)],
])('a message of %s is read in linear time', async (_, make) => {
  verifies('mcp.client.bounded');
  await expectLinear({ make, work: (text) => toLine(visibleText(text) + text), largest: 8192 });
});

test('notifications are handled in linear time', async () => {
  const work = async (count: number): Promise<void> => {
    let handled = 0;
    const take = orderedDelivery(() => void Promise.resolve().then(() => (handled += 1)));
    for (let index = 0; index < count; index += 1) take({ jsonrpc: '2.0', method: 'n' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(handled).toBe(count);
  };
  await expectLinear({ make: (size) => size, work });
});
