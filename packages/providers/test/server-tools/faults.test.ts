import type { AssistantMessage } from '@kernel/protocol';
import { type RawReply, verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createProviders } from '../../src/index.ts';
import { mcpServer, SHELL_TOOL, shell, webSearch } from '../../src/responses/index.ts';
import { endOf, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

const streamed = (...events: readonly object[]): RawReply => ({ chunks: [sse(...events)] });
const completed = (output: readonly object[]): object => ({
  type: 'response.completed',
  response: { status: 'completed', output },
});
const search = (id: string) => ({ type: 'web_search_call', id, status: 'completed', action: { query: id } });
const message = { type: 'message', id: 'm', content: [{ type: 'output_text', text: 'Found.' }] };
const shellCall = { type: 'shell_call', id: 'sh', call_id: 'c', action: { commands: ['ls'] } };

async function read(
  wire: WireName,
  reply: RawReply,
  more: object = {},
  config: object = {},
): Promise<AssistantMessage> {
  let received: AssistantMessage | undefined;
  await withWire(
    wire,
    { replies: [reply], strict: false },
    async ({ provider }) => {
      received = (await endOf(provider.stream(request(more)))).message;
    },
    config,
  );
  return received ?? { role: 'assistant', content: [] };
}

describe('Responses', () => {
  test('a command in a container is never run here, whatever other tools there are', async () => {
    verifies('providers.serverTools.here');
    const output = { type: 'shell_call_output', id: 'so', call_id: 'c', output: [{ stdout: 'a', stderr: '' }] };
    const reply = streamed(completed([shellCall, output]));
    const config = { serverTools: [shell({ container: 'auto' })] };
    const { content } = await read('openai-responses', reply, { tools: [{ ...SHELL_TOOL, name: 'run' }] }, config);
    expect(content.map(({ type }) => type)).toEqual(['server-tool-call', 'server-tool-result']);
  });

  test('items of a gateway that gives no index are all read', async () => {
    verifies('providers.replies.opaque');
    const items = [search('a'), search('b'), message];
    const events = items.map((item) => ({ type: 'response.output_item.done', item }));
    const { content } = await read('openai-responses', streamed(...events, completed([])));
    expect(content.filter(({ type }) => type === 'server-tool-call')).toHaveLength(2);
    expect(content.at(-1)).toMatchObject({ type: 'text', text: 'Found.' });
  });

  test('an approval counts for the arguments that the vendor would run, and for no others', async () => {
    verifies('providers.serverTools.approval');
    const item = {
      type: 'mcp_approval_request',
      id: 'r',
      server_label: 's',
      name: 'pay',
      arguments: '{"amount":1000}',
    };
    const call = {
      type: 'tool-call',
      id: 'r',
      name: 'mcp_approval',
      arguments: '{}',
      providerData: { clientCall: item },
    } as const;
    const asked: AssistantMessage = {
      role: 'assistant',
      content: [call],
      provider: { vendor: 'openai-responses', model: 'm' },
    };
    const given = (amount: number) => JSON.stringify({ name: 'pay', arguments: { amount }, server_label: 's' });
    for (const [content, approve] of [
      [given(1000), true],
      [given(1), false],
      ['yes', false],
    ] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      await withWire('openai-responses', { replies: [{ text: 'ok' }], strict: false }, async ({ provider, server }) => {
        const result = { role: 'tool', toolCallId: 'r', name: 'mcp_approval', content } as const;
        await endOf(provider.stream(request({ messages: [...request().messages, asked, result] })));
        const { input } = (server.requests[0]?.body ?? {}) as { input: object[] };
        expect(input.at(-1)).toMatchObject({ type: 'mcp_approval_response', approval_request_id: 'r', approve });
      });
    }
  });

  test('arguments that are not exact JSON are shown to whoever decides as they are', async () => {
    verifies('providers.serverTools.approval');
    const config = { serverTools: [mcpServer({ name: 's', url: 'https://a.test' })] };
    const tools = [{ ...SHELL_TOOL, name: 'mcp_approval' }];
    for (const text of ['{"to":"evil",}', '{"path":"safe","path":"/etc"}']) {
      const item = { type: 'mcp_approval_request', id: 'r', server_label: 's', name: 'go', arguments: text };
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      const { content } = await read('openai-responses', streamed(completed([item])), { tools }, config);
      const [call] = content;
      expect(call?.type === 'tool-call' && JSON.parse(call.arguments)).toMatchObject({ arguments: text });
    }
  });

  test('what the vendor ran is counted', async () => {
    verifies('providers.serverTools.parts');
    const response = {
      status: 'completed',
      output: [search('a'), search('b')],
      usage: { input_tokens: 1, output_tokens: 1 },
    };
    await withWire(
      'openai-responses',
      { replies: [streamed({ type: 'response.completed', response })] },
      async (setup) => {
        const { usage } = await endOf(setup.provider.stream(request()));
        expect(usage?.serverToolCalls).toEqual({ web_search: 2 });
      },
    );
  });
});

test('a Gemini citation that is not between characters, or not in the text, has no span', async () => {
  verifies('providers.citations');
  const groundingSupports = [
    [-5, 4],
    [1, 3],
    [0, 99],
    [0, 4],
  ].map(([startIndex, endIndex]) => ({
    segment: { startIndex, endIndex },
    groundingChunkIndices: [0],
  }));
  const groundingMetadata = { groundingChunks: [{ web: { uri: 'https://a.test' } }], groundingSupports };
  const candidate = { content: { parts: [{ text: '🌍 is big' }] }, finishReason: 'STOP', groundingMetadata };
  const { content } = await read('gemini', streamed({ candidates: [candidate] }));
  const citations = content.find((part) => part.type === 'text')?.citations;
  expect(citations?.map(({ span }) => span)).toEqual([undefined, undefined, undefined, { start: 0, end: 2 }]);
});

describe('a Gemini citation', () => {
  const url = 'https://a.test';
  const candidate = (parts: readonly object[], more: object = {}) => ({
    candidates: [{ content: { parts }, ...more }],
  });
  const supportsOf = (...segments: readonly object[]) => ({
    finishReason: 'STOP',
    groundingMetadata: {
      groundingChunks: [{ web: { uri: url } }],
      groundingSupports: segments.map((segment) => ({ segment, groundingChunkIndices: [0] })),
    },
  });
  const code = [
    { executableCode: { language: 'PYTHON', code: '1' } },
    { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } },
  ];
  const spansOf = (content: AssistantMessage['content']) =>
    content.flatMap((part) => (part.type === 'text' ? [part.citations?.map(({ span }) => span)] : []));
  const whole = (value: object): RawReply => ({
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify(value)],
  });
  const segments = [
    { endIndex: 5 },
    { partIndex: 3, startIndex: 5, endIndex: 7, text: 'ja' },
    { partIndex: 4, endIndex: 4 },
  ];
  const spans = [
    [{ start: 0, end: 4 }],
    [
      { start: 3, end: 5 },
      { start: 6, end: 10 },
    ],
  ];

  test('belongs to the part that it names, whose bytes its indexes count', async () => {
    verifies('providers.citations.parts');
    const parts = [{ text: 'Blå.' }, ...code, { text: '🌍 ja ' }, { text: 'Nei.' }];
    const { content } = await read('gemini', whole(candidate(parts, supportsOf(...segments))), { stream: false });
    expect(spansOf(content)).toEqual(spans);
  });

  test('belongs to that part too where the text of the part is streamed in pieces', async () => {
    verifies('providers.citations.parts');
    const reply = streamed(
      candidate([{ text: 'Bl' }]),
      candidate([{ text: 'å.' }, ...code]),
      candidate([{ text: '🌍 ja' }]),
      candidate([{ text: ' ' }, { text: 'Ne' }]),
      candidate([{ text: 'i.' }], supportsOf(...segments)),
    );
    const { content } = await read('gemini', reply);
    expect(spansOf(content)).toEqual(spans);
  });

  test('without an index belongs to the text that has its words, where thoughts or another text come first', async () => {
    verifies('providers.citations.parts');
    const segment = { startIndex: 3, endIndex: 8, text: 'round' };
    const thought = { text: 'Hm, is it?', thought: true };
    for (const parts of [
      [thought, { text: 'Is round.' }],
      [{ text: 'First.' }, ...code, { text: 'Is round.' }],
    ]) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      const { content } = await read('gemini', streamed(candidate(parts, supportsOf(segment))));
      expect(spansOf(content).at(-1)).toEqual([{ start: 3, end: 8 }]);
    }
  });

  test('whose words are elsewhere, or whose part is none, is kept without a span', async () => {
    verifies('providers.citations.parts');
    const reply = streamed(
      candidate([{ text: 'Is round.' }], supportsOf({ endIndex: 2, text: 'It' }, { partIndex: 7, endIndex: 99 })),
    );
    expect(spansOf((await read('gemini', reply)).content)).toEqual([[undefined, undefined]]);
  });
});

test.each<[string, unknown, string]>([
  [
    'a cycle',
    (() => {
      const tool: Record<string, unknown> = { type: 'x' };
      tool['self'] = tool;
      return tool;
    })(),
    'is not JSON',
  ],
  ['a BigInt', { type: 'x', size: 1n }, 'is not JSON'],
  ['fields that are text', { definition: { type: 'x' }, fields: 'abc' }, '.fields is a string'],
  ['betas that are text', { definition: { type: 'x' }, betas: 'abc' }, '.betas is a string'],
  ['names that are text', { definition: { type: 'x' }, deferredTools: 'abc' }, '.deferredTools is a string'],
])('a server tool with %s is refused at once', (_what, tool, text) => {
  verifies('providers.serverTools.request');
  const create = () =>
    createProviders().create(
      Object.assign({ name: 'anthropic', token: 'x' }, { serverTools: [tool, webSearch()] as never }),
    );
  expect(create).toThrow(text);
  expect(create).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});
