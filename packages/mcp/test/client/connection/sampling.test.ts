import { type ProviderRequest, toolResult, type Toolset } from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { scriptedProvider, verifies } from '@kernel/testing';
import type { InputRequest, InputRequests } from '@modelcontextprotocol/client';
import { expect, onTestFinished, test } from 'vitest';
import { createAskClock } from '../../../src/client/calls/call-clock.ts';
import { createSampling } from '../../../src/client/connection/sampling.ts';
import { isMcpCall, type McpSampling, type McpSamplingRequest, serveHttp } from '../../../src/index.ts';
import { call, connected } from '../programs.ts';
import { plainTool } from '../../server/support.ts';

const question = (text: string, more: object = {}): InputRequest => ({
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text } }], maxTokens: 1_000_000, ...more },
});

/** A server whose one tool asks the client for this. */
async function askingFor(requests: InputRequests): Promise<string> {
  const list = Object.freeze([plainTool('ask')]);
  const toolset: Toolset = toToolset({
    list: () => list,
    async call(_call, context) {
      if (!isMcpCall(context)) throw new Error('not over MCP');
      return toolResult(JSON.stringify(await context.ask(requests)));
    },
  });
  const server = await serveHttp(toolset);
  onTestFinished(() => server.close());
  return server.url;
}

const USAGE = { inputTokens: 40, outputTokens: 20 };

function sampling(more: Partial<McpSampling> = {}) {
  const provider = scriptedProvider(Array.from({ length: 20 }, () => ({ text: 'Paris.', usage: USAGE })));
  const asked: McpSamplingRequest[] = [];
  const approve = (request: McpSamplingRequest): boolean => asked.push(request) > 0;
  return { provider, asked, options: { sampling: { provider, model: 'small', approve, ...more } } };
}

test('a server asks the model for what the user has approved, word by word, without tools and for as many tokens as allowed', async () => {
  verifies('mcp.client.sampling');
  const { provider, asked, options } = sampling();
  const url = await askingFor({ q: question('Capital of\u200B France?', { systemPrompt: 'Be brief.' }) });
  const toolset = await connected({ a: { url } }, options);
  const { forLLM } = await call(toolset, 'mcp__a__ask');
  expect(JSON.parse(forLLM)).toMatchObject({ q: { role: 'assistant', model: 'small', content: { text: 'Paris.' } } });
  expect(asked).toMatchObject([{ server: 'a', maxTokens: 4096, used: { calls: 0, tokens: 0 } }]);
  const request = provider.requests[0] as ProviderRequest | undefined;
  expect(request?.messages).toEqual(asked[0]?.messages);
  expect(JSON.stringify(request?.messages)).toContain(String.raw`Capital of\\u200b France?`);
  expect(request).toMatchObject({ model: 'small', options: { maxTokens: 4096 } });
  expect(request).not.toHaveProperty('tools');
});

test.each([
  ['calls', { calls: 2 }],
  ['tokens', { tokens: 100 }],
  ['cost', { cost: 0.0001, price: { input: 1, output: 1 } }],
])('a server that has used up its limit of %s gets no further reply', async (_, limits) => {
  verifies('mcp.client.sampling');
  const { provider, options } = sampling({ limits });
  const toolset = await connected({ a: { url: await askingFor({ q: question('?') }) } }, options);
  for (let count = 0; count < 2; count += 1)
    // oxlint-disable-next-line no-await-in-loop
    expect(await call(toolset, 'mcp__a__ask')).not.toHaveProperty('isError');
  const { forLLM, isError } = await call(toolset, 'mcp__a__ask');
  expect([isError, forLLM]).toEqual([
    true,
    expect.stringContaining('may not ask the model any more (2 replies, 120 tokens'),
  ]);
  expect(provider.requests).toHaveLength(2);
});

test.each([
  ['the user refuses', question('?'), { approve: () => false }],
  ['it wants tools', question('?', { tools: [{ name: 't', inputSchema: { type: 'object' } }] }), {}],
])('nothing is sent to the model where %s', async (_, request, more) => {
  verifies('mcp.client.sampling');
  const { provider, options } = sampling(more);
  const toolset = await connected({ a: { url: await askingFor({ q: request }) } }, options);
  expect(await call(toolset, 'mcp__a__ask')).toMatchObject({ isError: true });
  expect(provider.requests).toEqual([]);
});

test('without the options a server learns that it can ask neither the model, nor for folders, nor for a page', async () => {
  verifies('mcp.client.sampling');
  const page = { method: 'elicitation/create', params: { mode: 'url', message: 'Pay', url: 'https://pay.example' } };
  for (const request of [question('?'), { method: 'roots/list' }, page] as InputRequest[]) {
    // oxlint-disable-next-line no-await-in-loop
    const toolset = await connected({ a: { url: await askingFor({ q: request }) } });
    // oxlint-disable-next-line no-await-in-loop
    expect((await call(toolset, 'mcp__a__ask')).forLLM).toContain('-32021');
  }
});

test('a server gets the folders that it may know, and a page is shown with its address unless that is not one', async () => {
  verifies('mcp.client.sampling');
  const roots = [{ uri: 'file:///project', name: 'project' }];
  const shown: string[] = [];
  const options = {
    roots,
    elicitUrl: async ({ server, url }: { readonly server: string; readonly url: string }) => {
      shown.push(`${server}: ${url}`);
      return 'accept' as const;
    },
  };
  const page = (url: string) =>
    ({
      method: 'elicitation/create',
      params: { mode: 'url', message: 'Pay', url, elicitationId: '1' },
    }) as InputRequest;
  const url = await askingFor({
    folders: { method: 'roots/list' },
    pay: page('https://pay.example/1'),
    run: page('javascript:alert(1)'),
    file: page('file:///etc/passwd'),
    plain: page('http://pay.example'),
  });
  const { forLLM } = await call(await connected({ a: { url } }, options), 'mcp__a__ask');
  const declined = { action: 'decline' };
  expect(JSON.parse(forLLM)).toMatchObject({
    folders: { roots },
    pay: { action: 'accept' },
    run: declined,
    file: declined,
    plain: declined,
  });
  expect(shown).toEqual(['a: https://pay.example/1']);
});

test.each([{ calls: -1 }, { tokens: Number.NaN }, { cost: 1 }])('limits %j are refused', async (limits) => {
  const { options } = sampling({ limits });
  await expect(connected({ a: { url: 'http://127.0.0.1:9/mcp' } }, options)).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
  });
});

test('requests at the same time are held against one budget, and so is what comes after the connection was lost', async () => {
  verifies('mcp.client.sampling');
  const { provider, options } = sampling({ limits: { tokens: 100 } });
  const parameters = Array.from({ length: 5 }, (_, at) => [`q${at}`, question('?')] as const);
  const url = await askingFor(Object.fromEntries(parameters));
  const toolset = await connected({ a: { url } }, options);
  expect(await call(toolset, 'mcp__a__ask')).toMatchObject({ isError: true });
  expect(provider.requests).toHaveLength(2);
  const again = createSampling('a', options.sampling);
  const ask = () => again(question('?').params as never, new AbortController().signal, createAskClock());
  const answers = await Promise.allSettled([ask(), ask(), ask(), ask()]);
  expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected', 'rejected']);
});
