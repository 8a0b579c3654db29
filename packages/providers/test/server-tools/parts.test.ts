import type { AssistantMessage, ProviderEvent } from '@kernel/protocol';
import { type RawReply, toEventStreamFrame, verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { all, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

type Part = AssistantMessage['content'][number];

const url = 'https://a.test';
const whole = (body: object): RawReply => ({
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(body)],
});
const claude = (...content: readonly object[]): RawReply =>
  whole({
    type: 'message',
    content,
    stop_reason: 'end_turn',
    usage: { input_tokens: 1, output_tokens: 1, server_tool_use: { web_search_requests: 2, web_fetch_requests: 0 } },
  });
const response = (...output: readonly object[]): RawReply => whole({ status: 'completed', output });
const gemini = (parts: readonly object[], more: object = {}): RawReply =>
  streamed({ candidates: [{ content: { parts }, finishReason: 'STOP', ...more }] });
const streamed = (...events: readonly object[]): RawReply => ({ chunks: [sse(...events)] });

const search = { type: 'server_tool_use', id: 's', name: 'web_search', input: { query: 'x' } };
const failed = {
  type: 'web_search_tool_result',
  tool_use_id: 's',
  content: { type: 'web_search_tool_result_error', error_code: 'max_uses_exceeded' },
};
const ran = {
  type: 'bash_code_execution_tool_result',
  tool_use_id: 'b',
  content: { type: 'bash_code_execution_result', stdout: 'out', stderr: 'err', return_code: 1, content: [] },
};
const bash = { type: 'server_tool_use', id: 'b', name: 'bash_code_execution', input: { command: 'ls' } };
const mcpUse = { type: 'mcp_tool_use', id: 'm', name: 'echo', server_name: 'e', input: { a: 1 } };
const mcpResult = {
  type: 'mcp_tool_result',
  tool_use_id: 'm',
  is_error: false,
  content: [{ type: 'text', text: 'hi' }],
};
const webSearch = {
  type: 'web_search_call',
  id: 'ws',
  status: 'completed',
  action: { type: 'search', query: 'x', sources: [{ type: 'url', url }] },
};
const interpreter = {
  type: 'code_interpreter_call',
  id: 'ci',
  status: 'completed',
  code: '1+1',
  outputs: [{ type: 'logs', logs: '2' }],
};
const mcpCall = { type: 'mcp_call', id: 'mc', name: 'echo', arguments: '{"a":1}', output: null, error: 'gone' };
const shell = { type: 'shell_call', id: 'sh', call_id: 'c', status: 'completed', action: { commands: ['ls'] } };
const shellOutput = {
  type: 'shell_call_output',
  id: 'so',
  call_id: 'c',
  output: [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
};
const code = { executableCode: { language: 'PYTHON', code: '1+1' } };
const outcome = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '2' } };
const frame = (index: number, start: object, delta: object) => [
  toEventStreamFrame('contentBlockStart', { contentBlockIndex: index, start }),
  toEventStreamFrame('contentBlockDelta', { contentBlockIndex: index, delta }),
  toEventStreamFrame('contentBlockStop', { contentBlockIndex: index }),
];

/** What each reply holds: parts of calls and of results. */
const REPLIES: readonly (readonly [string, WireName, RawReply, readonly object[]])[] = [
  [
    'a search that failed and a command that failed, of Claude',
    'anthropic',
    claude(search, failed, bash, ran),
    [
      { type: 'server-tool-call', id: 's', name: 'web_search', arguments: '{"query":"x"}', providerData: search },
      { type: 'server-tool-result', callId: 's', name: 'web_search', text: 'max_uses_exceeded', isError: true },
      { type: 'server-tool-call', id: 'b', name: 'bash_code_execution', arguments: '{"command":"ls"}' },
      { type: 'server-tool-result', callId: 'b', name: 'bash_code_execution', text: 'out\nerr', isError: true },
    ],
  ],
  [
    'a tool of a hosted MCP server, of Claude',
    'anthropic',
    claude(mcpUse, mcpResult),
    [
      { type: 'server-tool-call', id: 'm', name: 'echo', arguments: '{"a":1}', providerData: mcpUse },
      { type: 'server-tool-result', callId: 'm', name: 'echo', text: 'hi', providerData: mcpResult },
    ],
  ],
  [
    'items that hold the call and its result, of Responses',
    'openai-responses',
    response(webSearch, interpreter, mcpCall),
    [
      {
        type: 'server-tool-call',
        id: 'ws',
        name: 'web_search',
        arguments: '{"type":"search","query":"x"}',
        providerData: webSearch,
      },
      { type: 'server-tool-result', callId: 'ws', name: 'web_search', text: url, sources: [{ url }] },
      {
        type: 'server-tool-call',
        id: 'ci',
        name: 'code_interpreter',
        arguments: '{"code":"1+1"}',
        providerData: interpreter,
      },
      { type: 'server-tool-result', callId: 'ci', name: 'code_interpreter', text: '2' },
      { type: 'server-tool-call', id: 'mc', name: 'echo', arguments: '{"a":1}', providerData: mcpCall },
      { type: 'server-tool-result', callId: 'mc', name: 'echo', text: 'gone', isError: true },
    ],
  ],
  [
    'a command in a container, of Responses',
    'openai-responses',
    response(shell, shellOutput),
    [
      { type: 'server-tool-call', id: 'c', name: 'shell', arguments: '{"commands":["ls"]}', providerData: shell },
      { type: 'server-tool-result', callId: 'c', name: 'shell', text: 'a.txt', providerData: shellOutput },
    ],
  ],
  [
    'code that Gemini ran',
    'gemini',
    gemini([code, outcome, { text: 'It is 2.' }]),
    [
      {
        type: 'server-tool-call',
        name: 'code_execution',
        arguments: '{"language":"PYTHON","code":"1+1"}',
        providerData: code,
      },
      { type: 'server-tool-result', name: 'code_execution', text: '2', providerData: outcome },
      { type: 'text', text: 'It is 2.' },
    ],
  ],
  [
    'pages that Gemini fetched',
    'gemini',
    gemini([{ text: 'Fetched.' }], {
      urlContextMetadata: { urlMetadata: [{ retrievedUrl: url, urlRetrievalStatus: 'URL_RETRIEVAL_STATUS_ERROR' }] },
    }),
    [
      { type: 'text', text: 'Fetched.' },
      { type: 'server-tool-call', name: 'url_context', arguments: `{"urls":["${url}"]}` },
      { type: 'server-tool-result', name: 'url_context', sources: [{ url }], isError: true },
    ],
  ],
  [
    'grounding of Converse',
    'bedrock',
    {
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
      chunks: [
        ...frame(
          0,
          { toolUse: { toolUseId: 't', name: 'nova_grounding', type: 'server_tool_use' } },
          { toolUse: { input: '{"q":1}' } },
        ),
        ...frame(
          1,
          { toolResult: { toolUseId: 't', type: 'nova_grounding_result', status: 'success' } },
          { toolResult: [{ text: 'found' }] },
        ),
        toEventStreamFrame('messageStop', { stopReason: 'end_turn' }),
      ],
    },
    [
      { type: 'server-tool-call', id: 't', name: 'nova_grounding', arguments: '{"q":1}' },
      { type: 'server-tool-result', callId: 't', name: 'nova_grounding', text: 'found' },
    ],
  ],
];

describe.each(REPLIES)('%s', (_name, wire, reply, expected) => {
  test('comes as calls and results, in the message and as events', async () => {
    verifies('providers.serverTools.parts');
    let events: readonly ProviderEvent[] = [];
    await withWire(wire, { replies: [reply] }, async ({ provider }) => {
      events = await all(provider.stream(request({ stream: wire === 'gemini' || wire === 'bedrock' })));
    });
    const end = events.at(-1);
    const content: readonly Part[] = end?.type === 'message-end' ? end.message.content : [];
    expect(content).toMatchObject(expected);
    expect(content).toHaveLength(expected.length);
    const isOfServer = ({ type }: { readonly type: string }): boolean => type.startsWith('server-tool-');
    expect(events.filter(isOfServer)).toEqual(content.filter(isOfServer));
  });
});

test('the calls that a vendor charges for are in the usage, by name', async () => {
  verifies('providers.serverTools.parts');
  await withWire('anthropic', { replies: [claude(search, failed)] }, async ({ provider }) => {
    const events = await all(provider.stream(request({ stream: false })));
    expect(events.at(-1)).toMatchObject({ usage: { serverToolCalls: { web_search: 2 } } });
  });
});
