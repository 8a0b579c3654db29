import { collect, run } from '@kernel/agent';
import type { AssistantMessage, Message, Tool, ToolCall, Approve } from '@kernel/protocol';
import { createProvider } from '@kernel/providers';
import { BASH_TOOL, bash, webSearch } from '@kernel/providers/anthropic';
import {
  APPLY_PATCH_TOOL,
  applyPatch,
  customTool,
  MCP_APPROVAL_TOOL,
  mcpServer,
  SHELL_TOOL,
  shell,
} from '@kernel/providers/responses';
import { type RawReply, startWireServer, verifies } from '@kernel/testing';
import { bindTool, createRegistry } from '@kernel/tools';
import { describe, expect, test } from 'vitest';

const messages: readonly Message[] = [{ role: 'user', content: 'Go' }];
const sse = (...events: readonly object[]): RawReply => ({
  chunks: events.map((event) => `data: ${JSON.stringify(event)}\n\n`),
});

const search = { type: 'server_tool_use', id: 'srv_1', name: 'web_search', input: { query: 'x' } };
const found = {
  type: 'web_search_tool_result',
  tool_use_id: 'srv_1',
  content: [{ type: 'web_search_result', title: 'A', url: 'https://a.test', encrypted_content: 'e' }],
};
const claudeReply = (content: readonly object[], reason: string): RawReply =>
  sse(
    { type: 'message_start', message: { usage: { input_tokens: 10, output_tokens: 1 } } },
    ...content.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: block },
      { type: 'content_block_stop', index },
    ]),
    {
      type: 'message_delta',
      delta: { stop_reason: reason },
      usage: { output_tokens: 5, server_tool_use: { web_search_requests: 1 } },
    },
    { type: 'message_stop' },
  );

describe('a reply that pauses in the middle of the vendor’s own tools', () => {
  test('goes back as it is, and the run goes on by itself', async () => {
    verifies('providers.serverTools.paused');
    const server = await startWireServer({
      wire: 'anthropic',
      replies: [
        claudeReply([{ type: 'text', text: 'Searching.' }, search], 'pause_turn'),
        claudeReply([found, { type: 'text', text: 'Found.' }], 'end_turn'),
      ],
    });
    const provider = createProvider({
      name: 'anthropic',
      token: 'k',
      baseUrl: server.baseUrl,
      serverTools: [webSearch({ maxUses: 3 })],
    });
    const result = await collect(run({ provider, model: 'm', messages }));
    expect(result).toMatchObject({ reason: 'done', answer: 'Searching.Found.', turns: 2 });
    expect(result.usage.serverToolCalls).toEqual({ web_search: 2 });
    const { messages: sent } = (server.requests[1]?.body ?? {}) as { messages: { role: string; content: unknown }[] };
    expect(sent.at(-1)).toEqual({ role: 'assistant', content: [{ type: 'text', text: 'Searching.' }, search] });
    await server.close();
  });

  test('is no rejected answer: what a typed answer says before and after a pause is one', async () => {
    verifies('providers.serverTools.paused');
    const server = await startWireServer({
      wire: 'anthropic',
      strict: false,
      replies: [
        claudeReply([{ type: 'text', text: '{"city":' }, search], 'pause_turn'),
        claudeReply([found, { type: 'text', text: '"Oslo"}' }], 'end_turn'),
      ],
    });
    const provider = createProvider({ name: 'anthropic', token: 'k', baseUrl: server.baseUrl });
    const output = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
    const result = await collect(run({ provider, model: 'claude-opus-4-5', messages, output }));
    expect(result).toMatchObject({ reason: 'done', output: { city: 'Oslo' }, turns: 2 });
    await server.close();
  });

  test('ends by itself after fifty in a row, where no limit of turns does', async () => {
    verifies('providers.serverTools.paused');
    const replies = Array.from({ length: 52 }, () => claudeReply([{ type: 'text', text: '.' }, search], 'pause_turn'));
    const server = await startWireServer({ wire: 'anthropic', replies });
    const provider = createProvider({ name: 'anthropic', token: 'k', baseUrl: server.baseUrl });
    const result = await collect(run({ provider, model: 'm', messages, limits: { turns: 0 } }));
    expect(result).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL' } });
    expect(server.requests).toHaveLength(51);
    await server.close();
  });

  test('ends with the limit of turns if it never stops', async () => {
    verifies('providers.serverTools.paused');
    const server = await startWireServer({
      wire: 'anthropic',
      replies: Array.from({ length: 3 }, () => claudeReply([{ type: 'text', text: 'More.' }, search], 'pause_turn')),
    });
    const provider = createProvider({ name: 'anthropic', token: 'k', baseUrl: server.baseUrl });
    const result = await collect(run({ provider, model: 'm', messages, limits: { turns: 3 } }));
    expect(result).toMatchObject({ reason: 'limit', limit: 'turns', answer: 'More.' });
    await server.close();
  });
});

const done = (...output: readonly object[]): RawReply =>
  sse({ type: 'response.completed', response: { status: 'completed', output } });
const answer = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Done.' }] };

/** Runs a tool that the model calls in its own way, and returns the items that answered the call. */
async function answersTo(
  item: object,
  tool: Tool,
  result: unknown,
  approve?: Approve,
): Promise<{ input: readonly object[]; seen: unknown; calls: readonly ToolCall[] }> {
  const server = await startWireServer({ wire: 'openai-responses', replies: [done(item), done(answer)] });
  let seen: unknown;
  const registry = createRegistry([
    bindTool(tool, (input) => {
      seen = input;
      return result ?? input;
    }),
  ]);
  const provider = createProvider({
    name: 'openai-responses',
    token: 'k',
    baseUrl: server.baseUrl,
    serverTools: [
      shell(),
      applyPatch(),
      customTool({ name: 'sql' }),
      mcpServer({ name: 'docs', url: 'https://docs.test/mcp' }),
    ],
  });
  const options = { provider, model: 'm', tools: registry, messages, ...(approve && { approve }) };
  const ended = await collect(run(options));
  expect(ended).toMatchObject({ reason: 'done', answer: 'Done.' });
  const { input } = (server.requests[1]?.body ?? {}) as { input: readonly object[] };
  const reply = ended.messages.find((message): message is AssistantMessage => message.role === 'assistant');
  await server.close();
  return { input: input.slice(1), seen, calls: reply?.content.filter((part) => part.type === 'tool-call') ?? [] };
}

describe('a tool that the model knows and that runs here', () => {
  test('shell: its outputs go back, and so does the call, unchanged', async () => {
    verifies('providers.serverTools.here');
    const item = {
      type: 'shell_call',
      id: 'sh',
      call_id: 'c',
      status: 'completed',
      action: { commands: ['ls'], timeout_ms: null },
    };
    const outputs = [{ stdout: 'a.txt', stderr: '', outcome: { type: 'exit', exit_code: 0 } }];
    const { input, seen } = await answersTo(item, SHELL_TOOL, outputs);
    expect(seen).toEqual({ commands: ['ls'] });
    expect(input).toEqual([item, { type: 'shell_call_output', call_id: 'c', output: outputs }]);
  });

  test('apply_patch', async () => {
    verifies('providers.serverTools.here');
    const operation = { type: 'create_file', path: 'a.md', diff: '+a' };
    const item = { type: 'apply_patch_call', id: 'ap', call_id: 'c', status: 'completed', operation };
    const { input, seen } = await answersTo(item, APPLY_PATCH_TOOL, 'Created.');
    expect(seen).toEqual(operation);
    expect(input).toEqual([
      item,
      { type: 'apply_patch_call_output', call_id: 'c', status: 'completed', output: 'Created.' },
    ]);
  });

  test('a custom tool gets its text as `input`', async () => {
    verifies('providers.serverTools.here');
    const item = { type: 'custom_tool_call', id: 'ct', call_id: 'c', name: 'sql', input: 'SELECT 1' };
    const parameters = { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] };
    const { input, seen } = await answersTo(item, { name: 'sql', description: '', parameters }, '1');
    expect(seen).toEqual({ input: 'SELECT 1' });
    expect(input).toEqual([item, { type: 'custom_tool_call_output', call_id: 'c', output: '1' }]);
  });

  test.each([
    ['allow', { decision: 'allow' }, { approve: true }],
    [
      'deny',
      { decision: 'deny', reason: 'Not today.' },
      { approve: false, reason: expect.stringContaining('Not today.') },
    ],
  ] as const)('the question about a hosted MCP call is one for approve: %s', async (_name, decision, response) => {
    verifies('providers.serverTools.approval');
    const item = {
      type: 'mcp_approval_request',
      id: 'mcpr_1',
      server_label: 'docs',
      name: 'create',
      arguments: '{"url":"https://a.test"}',
    };
    const asked: ToolCall[] = [];
    const approve: Approve = ({ call }) => {
      asked.push(call);
      return decision;
    };
    const { input } = await answersTo(item, MCP_APPROVAL_TOOL, undefined, approve);
    expect(JSON.parse(asked[0]?.arguments ?? '')).toEqual({
      server_label: 'docs',
      name: 'create',
      arguments: { url: 'https://a.test' },
    });
    expect(input).toEqual([item, { type: 'mcp_approval_response', approval_request_id: 'mcpr_1', ...response }]);
  });

  test('a tool of Claude’s own is an ordinary call', async () => {
    verifies('providers.serverTools.here');
    const call = { type: 'tool_use', id: 'toolu_1', name: 'bash', input: { command: 'ls' } };
    const replies = [claudeReply([call], 'tool_use'), claudeReply([{ type: 'text', text: 'Done.' }], 'end_turn')];
    const server = await startWireServer({ wire: 'anthropic', replies });
    const provider = createProvider({ name: 'anthropic', token: 'k', baseUrl: server.baseUrl, serverTools: [bash()] });
    const tools = createRegistry([bindTool(BASH_TOOL, ({ command }: { command?: string }) => `ran ${command ?? ''}`)]);
    expect(await collect(run({ provider, model: 'm', tools, messages }))).toMatchObject({ answer: 'Done.' });
    const { messages: sent } = (server.requests[1]?.body ?? {}) as { messages: { content: { content?: string }[] }[] };
    expect(sent.at(-1)?.content[0]?.content).toBe('ran ls');
    await server.close();
  });
});
