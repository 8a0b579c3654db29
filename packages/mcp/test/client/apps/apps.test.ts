import { callTool } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { readAppHosts, toAppPolicy } from '../../../src/client/apps.ts';
import type { ConnectMcpOptions, McpAppPage } from '../../../src/index.ts';
import { call, connected } from '../programs.ts';
import { startJsonServer } from '../../fixtures/json-server.ts';

const HTML = '<!doctype html><title>Chart</title>';
const TYPE = 'text/html;profile=mcp-app';
const OBJECT = { type: 'object', properties: {} };
const TOOLS = [
  { name: 'chart', inputSchema: OBJECT, _meta: { ui: { resourceUri: 'ui://charts/main' } } },
  { name: 'old', inputSchema: OBJECT, _meta: { 'ui/resourceUri': 'ui://charts/old' } },
  { name: 'refresh', inputSchema: OBJECT, _meta: { ui: { visibility: ['app'] } } },
  { name: 'delete', inputSchema: OBJECT, _meta: { ui: { visibility: ['model'] } } },
  { name: 'web', inputSchema: OBJECT, _meta: { ui: { resourceUri: 'https://elsewhere.example/', visibility: 'app' } } },
  { name: 'plain', inputSchema: OBJECT },
];

async function openCharts(page: object = {}, listing: object = {}, options: ConnectMcpOptions = {}) {
  const heard: unknown[] = [];
  const { url } = await startJsonServer(
    {
      'server/discover': (params) => {
        heard.push(params);
        throw Object.assign(new Error('unknown'), { code: -32_601 });
      },
      'tools/list': () => ({ tools: TOOLS }),
      'tools/call': (params) => ({ content: [{ type: 'text', text: String(params['name']) }] }),
      'resources/read': ({ uri }) => ({ contents: [{ uri, mimeType: TYPE, text: HTML, ...page }] }),
      'resources/list': () => ({ resources: [{ uri: 'ui://charts/main', name: 'main', ...listing }] }),
    },
    { resources: {}, tools: {} },
  );
  const toolset = await connected({ charts: { url } }, { showsApps: true, ...options });
  const read = (): Promise<McpAppPage> => {
    const app = toolset.apps.find('mcp__charts__chart');
    if (app === undefined) throw new Error('there is no app');
    return toolset.apps.read(app);
  };
  return { toolset, read, heard };
}

test('a tool has the app that its server names, and models see no tool that is for apps alone', async () => {
  verifies('mcp.client.apps');
  const { toolset } = await openCharts();
  const names = toolset.list().map(({ name }) => name);
  expect(names).toEqual([
    'mcp__charts__chart',
    'mcp__charts__old',
    'mcp__charts__delete',
    'mcp__charts__web',
    'mcp__charts__plain',
  ]);
  expect(toolset.apps.find('mcp__charts__chart')).toEqual({ server: 'charts', tool: 'chart', uri: 'ui://charts/main' });
  expect(toolset.apps.find('mcp__charts__old')?.uri).toBe('ui://charts/old');
  for (const name of ['mcp__charts__web', 'mcp__charts__plain', 'mcp__charts__refresh', 'none'])
    expect(toolset.apps.find(name)).toBeUndefined();
  expect(await call(toolset, 'mcp__charts__refresh')).toMatchObject({ isError: true, code: 'TOOL_NOT_FOUND' });
});

test('an app calls the tools that its server shows to apps, and no other', async () => {
  verifies('mcp.client.apps');
  const { toolset } = await openCharts();
  const tools = toolset.apps.tools('charts');
  expect(tools.list().map(({ name }) => name)).toContain('mcp__charts__refresh');
  expect(tools.nameOf('refresh')).toBe('mcp__charts__refresh');
  expect(tools.nameOf('delete')).toBeUndefined();
  const run = (name: string) =>
    callTool(tools, { type: 'tool-call', id: name, name, arguments: '{}' }, { signal: new AbortController().signal });
  expect(await run('mcp__charts__refresh')).toMatchObject({ forLLM: 'refresh' });
  expect(await run('mcp__charts__delete')).toMatchObject({ isError: true, code: 'TOOL_NOT_FOUND' });
  expect(() => toolset.apps.tools('other')).toThrow('no MCP server is named "other"');
});

test('a page is read with what it declares, from the page itself or else from the list', async () => {
  verifies('mcp.client.apps');
  const csp = {
    connectDomains: ['https://api.example.com', 'wss://live.example.com'],
    resourceDomains: ['https://*.cdn.example.com'],
  };
  const permissions = { camera: {}, clipboardWrite: {}, usb: {} };
  const { read } = await openCharts({ _meta: { ui: { csp, permissions, prefersBorder: false } } });
  const page = await read();
  expect(page).toMatchObject({ html: HTML, permissions: ['camera', 'clipboard-write'], prefersBorder: false });
  expect(page.hosts).toEqual(['https://api.example.com', 'wss://live.example.com', 'https://*.cdn.example.com']);
  expect(page.policy).toContain("connect-src https://api.example.com wss://live.example.com; frame-src 'none'");
  expect(page.policy).toContain("script-src 'unsafe-inline' https://*.cdn.example.com");
  const listed = await openCharts({}, { _meta: { ui: { csp } } });
  expect((await listed.read()).hosts).toHaveLength(3);
  const silent = await openCharts({ blob: Buffer.from('ü').toString('base64'), text: undefined });
  expect(await silent.read()).toMatchObject({ html: 'ü', hosts: [], permissions: [], prefersBorder: true });
});

test('a page that is too long, of another type or not text is refused with the reason', async () => {
  verifies('mcp.client.apps.hostile');
  const refused = async (page: object, reason: string) =>
    expect((await openCharts(page)).read()).rejects.toMatchObject({
      code: 'TOOL_FAILED',
      message: expect.stringContaining(reason),
    });
  await refused({ text: 'x'.repeat(5_000_000) }, 'has 5000000 characters; at most 4194304 are shown');
  await refused({ mimeType: 'text/html' }, 'is not a page of the type');
  await refused({ uri: 'ui://charts/other' }, 'is not a page of the type');
  await refused({ text: undefined, blob: '/w==' }, 'is not UTF-8 text');
});

test.each([
  "https://a.example; script-src 'unsafe-eval'",
  "https://a.example 'unsafe-eval'",
  'https://a.example\r\nset-cookie: a=b',
  'https://a.example\nx: y',
  'https://a.example,https://b.example',
  'http://a.example',
  'https://127.0.0.1',
  'https://[::1]',
  'https://localhost:8080',
  'https://printer.local',
  'https://*',
  'https://*.com',
  'https:',
  '*',
  "'self'",
  'data:',
  'https://a.example/path',
  'https://user@a.example',
  'javascript://a.example',
  `https://${'a.'.repeat(200)}example`,
  '',
  7,
  null,
])('the declared origin %j opens nothing', (origin) => {
  verifies('mcp.client.apps.hostile');
  const all = { connectDomains: [origin], resourceDomains: [origin], frameDomains: [origin], baseUriDomains: [origin] };
  expect(toAppPolicy(readAppHosts(all))).toBe(toAppPolicy(readAppHosts(undefined)));
});

test('of very many origins fifty are used, and lists that are none are none', () => {
  verifies('mcp.client.apps.hostile');
  const connectDomains = Array.from({ length: 1000 }, (_, at) => `https://a${at}.example`);
  expect(readAppHosts({ connectDomains }).connect).toHaveLength(50);
  expect(readAppHosts({ connectDomains: 'https://a.example' }).connect).toEqual([]);
  expect(readAppHosts([]).connect).toEqual([]);
});

test('a tool that gets an app, or another one, is another definition: it is asked about', async () => {
  verifies('mcp.client.apps');
  const { toolset } = await openCharts();
  const pins = { ...toolset.pins()['charts'] };
  const [chart = { name: '', inputSchema: {} }, ...others] = TOOLS;
  const changed = { ...chart, _meta: { ui: { resourceUri: 'ui://charts/other' } } };
  const { url } = await startJsonServer({ 'tools/list': () => ({ tools: [changed, ...others] }) }, { tools: {} });
  const next = await connected({ charts: { url } }, { pins: { charts: pins } });
  expect(next.list().map(({ name }) => name)).not.toContain('mcp__charts__chart');
  expect(next.list().map(({ name }) => name)).toContain('mcp__charts__old');
});

test('servers learn whether this program shows apps', async () => {
  verifies('mcp.client.apps');
  const capabilities = async (options: ConnectMcpOptions) => JSON.stringify((await openCharts({}, {}, options)).heard);
  expect(await capabilities({})).toContain('"io.modelcontextprotocol/ui":{"mimeTypes":["text/html;profile=mcp-app"]}');
  expect(await capabilities({ showsApps: false })).not.toContain('io.modelcontextprotocol/ui');
});
