import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toolResult } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { serveHttp } from '../../../src/index.ts';
import { changeable, plainTool } from '../../server/support.ts';
import { startJsonServer } from '../../fixtures/json-server.ts';
import { call, connected, misbehaving, until } from '../programs.ts';

test.each(['modern-only', 'dies-at-discover', 'modern-and-old'])('a program of the kind %s is used', async (kind) => {
  verifies('mcp.client.revisions');
  const toolset = await connected({ a: misbehaving(kind) });
  expect((await call(toolset, 'mcp__a__ok')).forLLM).toBe(kind === 'dies-at-discover' ? 'old' : 'modern');
});

test('a program that died when it was asked for its version is not asked again', async () => {
  verifies('mcp.client.revisions');
  const toolset = await connected({ a: misbehaving('dies-at-discover') });
  expect(await call(toolset, 'mcp__a__ok', { die: true })).toMatchObject({ isError: true });
  expect((await call(toolset, 'mcp__a__ok', { starts: true })).forLLM).toBe('old');
});

test.each(['silent-at-discover', 'slow-modern'])(
  'a program of the kind %s, which does not answer at first when it is asked for its version, is used',
  async (kind) => {
    verifies('mcp.client.revisions');
    const folder = mkdtempSync(join(tmpdir(), 'kernel-mcp-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const toolset = await connected({ a: misbehaving(kind, join(folder, 'started')) });
    expect((await call(toolset, 'mcp__a__ok')).forLLM).toBe(kind === 'slow-modern' ? 'modern' : 'old');
  },
  20_000,
);

test('a list that is older than its server allows is loaded again when a turn begins, and not before', async () => {
  verifies('mcp.client.fresh');
  let lists = 0;
  const { url } = await startJsonServer({
    'tools/list': () => ({ tools: [{ name: `tool_${(lists += 1)}`, inputSchema: { type: 'object' } }], ttlMs: 60_000 }),
  });
  const toolset = await connected({ a: { url } });
  const turn = { turn: 1, signal: new AbortController().signal, conversation: undefined };
  await toolset.listFor?.(turn);
  expect([lists, toolset.list()[0]?.name]).toEqual([1, 'mcp__a__tool_1']);
  vi.spyOn(performance, 'now').mockReturnValue(performance.now() + 60_001);
  onTestFinished(() => void vi.restoreAllMocks());
  await toolset.listFor?.(turn);
  expect([lists, toolset.list()[0]?.name]).toEqual([2, 'mcp__a__tool_2']);
});

test('changes of a server of 2026-07-28 arrive over a subscription', async () => {
  verifies('mcp.client.fresh');
  const tools = changeable('one');
  const server = await serveHttp(tools);
  onTestFinished(() => server.close());
  const toolset = await connected({ a: { url: server.url } });
  const changed = Promise.withResolvers<void>();
  toolset.subscribe(changed.resolve);
  // The subscription is opened beside the first list.
  const timer = setInterval(() => tools.set('one', 'two'), 20);
  onTestFinished(() => clearInterval(timer));
  await changed.promise;
  await until(() => toolset.list().length === 2);
  expect(toolset.list().map(({ name }) => name)).toEqual(['mcp__a__one', 'mcp__a__two']);
});

test('arguments that a tool wants as headers are sent so, and a tool that wants them wrongly is not offered', async () => {
  verifies('mcp.client.headers');
  const property = (header: unknown, type = 'string') => ({ type, 'x-mcp-header': header });
  const withProperties = (properties: object) => ({ parameters: { type: 'object', properties } });
  const list = Object.freeze([
    plainTool(
      'good',
      withProperties({
        region: property('Region'),
        deep: { type: 'object', properties: { n: property('N', 'integer') } },
      }),
    ),
    plainTool('no_token', withProperties({ a: property('two words') })),
    plainTool('twice', withProperties({ a: property('X'), b: property('x') })),
    plainTool('number', withProperties({ a: property('X', 'number') })),
    plainTool('in_items', withProperties({ a: { type: 'array', items: property('X') } })),
    plainTool('property_of_that_name', withProperties({ 'x-mcp-header': { type: 'string' } })),
    plainTool('as_data', withProperties({ a: { type: 'object', default: { 'x-mcp-header': 1 } } })),
  ]);
  const server = await serveHttp(
    toToolset({ list: () => list, call: async ({ arguments: text }) => toolResult(text) }),
  );
  onTestFinished(() => server.close());
  const faults: string[] = [];
  const sent: (string | null)[] = [];
  const toolset = await connected(
    { a: { url: server.url } },
    {
      onUnavailable: (_, { message }) => void faults.push(message),
      fetch(input, init) {
        const headers = new Headers(init?.headers);
        if (headers.get('mcp-method') === 'tools/call')
          sent.push(headers.get('mcp-param-region'), headers.get('mcp-param-n'));
        return fetch(input, init);
      },
    },
  );
  expect(toolset.list().map(({ name }) => name)).toEqual([
    'mcp__a__good',
    'mcp__a__property_of_that_name',
    'mcp__a__as_data',
  ]);
  expect(faults).toHaveLength(4);
  expect(await call(toolset, 'mcp__a__good', { region: 'Zürich', deep: { n: 7 } })).not.toHaveProperty('isError');
  expect(sent).toEqual([`=?base64?${Buffer.from('Zürich').toString('base64')}?=`, '7']);
});
