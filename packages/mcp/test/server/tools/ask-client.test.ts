import type { Toolset } from '@kernel/protocol';
import { toolResult } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { verifies } from '@kernel/testing';
import type { Client, InputRequest } from '@modelcontextprotocol/client';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { isMcpCall, serveHttp, type ServeHttpOptions } from '../../../src/index.ts';
import { call, connected } from '../../client/programs.ts';
import { ENVELOPE, rpc, send } from '../raw.ts';
import { connectTo, createClient, modern, plainTool } from '../support.ts';

const form = (field: string): InputRequest => ({
  method: 'elicitation/create',
  params: {
    message: `What is your ${field}?`,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  },
});

/** A toolset whose tools ask for a name, and then for a colour. */
function asking(): Toolset & { readonly runs: () => number } {
  let runs = 0;
  const parameters = { type: 'object', properties: { size: { type: 'integer' } } };
  const list = Object.freeze([plainTool('ask', { parameters }), plainTool('other')]);
  const toolset = toToolset({
    list: () => list,
    async call(_call, context) {
      if (!isMcpCall(context)) throw new Error('not over MCP');
      runs += 1;
      const { name } = await context.ask({ name: form('name') });
      const { color } = await context.ask({ color: form('color') });
      return toolResult(JSON.stringify([name, color]));
    },
  });
  return { ...toolset, runs: () => runs };
}

const KEY = 'a key of at least thirty-two bytes';

async function serve(toolset: Toolset, options: ServeHttpOptions = {}): Promise<string> {
  const server = await serveHttp(toolset, { stateKey: KEY, ...options });
  onTestFinished(() => server.close());
  return server.url;
}

interface Reply {
  readonly result?: {
    readonly resultType?: string;
    readonly inputRequests?: object;
    readonly requestState?: string;
    readonly content?: readonly { readonly text: string }[];
  };
  readonly error?: { readonly code: number; readonly message: string };
}

/** One call of a client of 2026-07-28. */
async function request(url: string, params: object, headers: Readonly<Record<string, string>> = {}): Promise<Reply> {
  const name = 'name' in params ? String(params.name) : 'ask';
  const meta = { ...ENVELOPE, 'io.modelcontextprotocol/clientCapabilities': { elicitation: {} } };
  const { json } = await send(url, rpc('tools/call', { name, arguments: {}, ...params, _meta: meta }), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': name,
    ...headers,
  });
  return json as Reply;
}

const accepted = (content: { readonly [field: string]: string | number }) =>
  ({ action: 'accept', content: { ...content } }) as const;

test.each(['2026-07-28', 'an older version'])(
  'a tool asks a client of %s twice and gets both answers',
  async (version) => {
    verifies('mcp.server.ask');
    const asked: string[] = [];
    const client: Client = createClient({ ...(version === '2026-07-28' && modern), capabilities: { elicitation: {} } });
    client.setRequestHandler('elicitation/create', ({ params }) => {
      asked.push(params.message);
      return params.message.includes('name') ? accepted({ name: 'Ada' }) : { action: 'decline' };
    });
    await client.connect(new StreamableHTTPClientTransport(new URL(await serve(asking()))));
    const { content } = await client.callTool({ name: 'ask', arguments: {} });
    expect(asked).toEqual(['What is your name?', 'What is your color?']);
    expect(content).toMatchObject([{ text: '[{"action":"accept","content":{"name":"Ada"}},{"action":"decline"}]' }]);
  },
);

test('two processes with the same key serve the rounds of one call in turn, and keep nothing between', async () => {
  verifies('mcp.server.ask');
  const toolsets = [asking(), asking()];
  const urls = await Promise.all(toolsets.map((each) => serve(each)));
  const first = await request(urls[0] ?? '', {});
  const second = await request(urls[1] ?? '', {
    requestState: first.result?.requestState,
    inputResponses: { name: accepted({ name: 'Ada' }) },
  });
  expect(Object.keys(second.result?.inputRequests ?? {})).toEqual(['color']);
  const third = await request(urls[0] ?? '', {
    requestState: second.result?.requestState,
    inputResponses: { color: accepted({ color: 'blue' }) },
  });
  expect(third.result?.content?.[0]?.text).toContain('"Ada"');
  expect(toolsets.map((each) => each.runs())).toEqual([2, 1]);
});

test('a state that was changed, or comes with another tool, input, caller or key, is refused before anything runs', async () => {
  verifies('mcp.server.ask');
  const toolset = asking();
  const url = await serve(toolset);
  const requestState = (await request(url, {})).result?.requestState ?? '';
  const inputResponses = { name: accepted({ name: 'Ada' }) };
  const runs = toolset.runs();
  const forged = [
    { requestState: `${requestState.slice(0, -2)}xx`, inputResponses },
    { requestState: 'v1.e30.x', inputResponses },
    { requestState, inputResponses, name: 'other' },
    { requestState, inputResponses, arguments: { size: 2 } },
  ];
  for (const params of forged)
    // oxlint-disable-next-line no-await-in-loop
    expect(await request(url, params)).toMatchObject({
      error: { code: -32_602, message: 'Invalid or expired requestState' },
    });
  const asAnother = await request(url, { requestState, inputResponses }, { authorization: 'Bearer another' });
  const elsewhere = await request(await serve(asking(), { stateKey: `${KEY}!` }), { requestState, inputResponses });
  expect([asAnother.error?.code, elsewhere.error?.code]).toEqual([-32_602, -32_602]);
  expect(toolset.runs()).toBe(runs);
});

test.each([
  ['that is missing', {}],
  ['of another kind', { name: { roots: [] } }],
  ['that does not match its form', { name: accepted({ name: 7 }) }],
  ['that is no object', { name: 'Ada' }],
])('an answer %s is asked for again', async (_, inputResponses) => {
  const reply = await request(await serve(asking()), { inputResponses });
  expect(reply.result).toMatchObject({ resultType: 'input_required', inputRequests: { name: form('name') } });
});

test('a client that cannot ask its user is refused, with the capability that it lacks', async () => {
  const url = await serve(asking());
  const { status, json } = await send(url, rpc('tools/call', { name: 'ask', _meta: ENVELOPE }), {
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'ask',
  });
  expect([status, json]).toMatchObject([
    400,
    { error: { code: -32_021, data: { requiredCapabilities: { elicitation: {} } } } },
  ]);
});

test('our own client answers both questions through elicit', async () => {
  const elicit = async () => ({ action: 'accept', content: { name: 'Ada', color: 'blue' } }) as const;
  const toolset = await connected({ a: { url: await serve(asking()) } }, { elicit });
  expect((await call(toolset, 'mcp__a__ask')).forLLM).toContain('"Ada"');
});

test('a key of fewer than 32 bytes is refused', async () => {
  await expect(serveHttp(asking(), { stateKey: 'short' })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await expect(connectTo(asking())).resolves.toBeDefined();
});
