import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD, history, IMAGE } from '../history.ts';
import { endOf, errorOf, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

type Body = Record<string, unknown> & { messages: { role: string; content: object[] }[] };

async function bodyOf(more: Parameters<typeof request>[0], config = {}): Promise<Body> {
  let body: unknown;
  await withWire(
    'anthropic',
    { replies: [{ text: 'ok' }] },
    async ({ provider, server }) => {
      await endOf(provider.stream(request(more)));
      body = server.requests[0]?.body;
    },
    config,
  );
  return body as Body;
}

test('all results of a turn are in the next single user message, in call order, with text, image and failure', async () => {
  verifies('providers.anthropic', 'providers.vision', 'result.error.wire');
  const body = await bodyOf({ messages: history('anthropic', { signature: 'sig' }), tools: [ADD], cache: 'off' });
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: IMAGE.data } };
  expect(body['system']).toEqual([{ type: 'text', text: 'Be brief.' }]);
  expect(body.messages).toEqual([
    { role: 'user', content: [{ type: 'text', text: 'Look.' }, image] },
    {
      role: 'assistant',
      content: [
        { type: 'thinking', thinking: 'hm', signature: 'sig' },
        { type: 'text', text: 'Let me see.' },
        { type: 'tool_use', id: 'a', name: 'add', input: { x: 1 } },
        { type: 'tool_use', id: 'b', name: 'add', input: { x: 1 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'a', content: [{ type: 'text', text: '2' }, image] },
        { type: 'tool_result', tool_use_id: 'b', content: 'too big', is_error: true },
        { type: 'text', text: 'Go on.' },
      ],
    },
  ]);
  expect(body['tools']).toEqual([{ name: 'add', description: 'Adds.', input_schema: ADD.parameters }]);
});

test('thinking is sent back only to the vendor that produced it, redacted or with its signature', async () => {
  const foreign = await bodyOf({ messages: history('bedrock', { signature: 'sig' }), tools: [ADD] });
  expect(JSON.stringify(foreign)).not.toContain('thinking');
  const own = await bodyOf({ messages: history('anthropic', { redacted: 'blob' }), tools: [ADD] });
  expect(own.messages[1]?.content[0]).toEqual({ type: 'redacted_thinking', data: 'blob' });
});

test('a thinking block is emitted with its signature, and sent back byte for byte', async () => {
  verifies('providers.anthropic');
  await withWire('anthropic', { replies: [{ reasoning: 'Hm, ä.', text: 'ok' }, { text: 'ok' }] }, async (setup) => {
    const { provider, server } = setup;
    const { message } = await endOf(provider.stream(request()));
    expect(message.content[0]).toEqual({ type: 'reasoning', text: 'Hm, ä.', providerData: { signature: 'sig-wire' } });
    await endOf(provider.stream(request({ messages: [...request().messages, message, ...request().messages] })));
    const body = server.requests[1]?.body as Body;
    expect(body.messages[1]?.content[0]).toEqual({ type: 'thinking', thinking: 'Hm, ä.', signature: 'sig-wire' });
  });
});

test('cache marks are on the last tool, the instructions and the last user message, unless cache is off', async () => {
  const more = { messages: history('anthropic', {}), tools: [ADD] };
  const mark = { cache_control: { type: 'ephemeral' } };
  const body = await bodyOf(more);
  expect(body['tools']).toMatchObject([mark]);
  expect(body['system']).toMatchObject([mark]);
  expect(body.messages.at(-1)?.content.at(-1)).toMatchObject(mark);
  expect(JSON.stringify(body).split('cache_control')).toHaveLength(4);
  expect(JSON.stringify(await bodyOf({ ...more, cache: 'off' }))).not.toContain('cache_control');
});

test('options, tool choice and response format are encoded in the terms of the vendor', async () => {
  verifies('providers.options', 'providers.toolChoice');
  const model = 'claude-sonnet-4-5';
  const body = await bodyOf({
    model,
    tools: [ADD],
    toolChoice: { name: 'add' },
    options: { maxTokens: 9, temperature: 0, stop: 'x', parallelToolCalls: false, top_k: 3 },
    responseFormat: { name: 'n', schema: { type: 'object', properties: { a: { type: 'string', minLength: 1 } } } },
  });
  expect(body).toMatchObject({
    max_tokens: 9,
    temperature: 0,
    stop_sequences: ['x'],
    top_k: 3,
    tool_choice: { type: 'tool', name: 'add', disable_parallel_tool_use: true },
    output_config: {
      format: {
        type: 'json_schema',
        schema: { additionalProperties: false, properties: { a: { description: '(minLength: 1)' } } },
      },
    },
  });
  expect((await bodyOf({ model, tools: [ADD], toolChoice: 'required' }))['tool_choice']).toEqual({ type: 'any' });
  expect((await bodyOf({ tools: [ADD], toolChoice: 'none' }))['tool_choice']).toEqual({ type: 'none' });
  expect((await bodyOf({ model, options: { reasoningEffort: 'low', maxTokens: 9 } }))['thinking']).toEqual({
    type: 'enabled',
    budget_tokens: 2048,
  });
});

test('the key goes into x-api-key with the version of the wire', async () => {
  await withWire('anthropic', { replies: [{ text: 'ok' }], token: 'abcd' }, async ({ provider, server }) => {
    await endOf(provider.stream(request()));
    expect(server.requests[0]?.headers).toMatchObject({ 'x-api-key': 'abcd', 'anthropic-version': '2023-06-01' });
    expect(server.requests[0]?.headers).not.toHaveProperty('authorization');
    expect(server.requests[0]?.path).toBe('/v1/messages');
  });
});

test('unknown events and deltas are ignored, an unknown block is kept; complete input at the start of a block is read; cached tokens are counted in', async () => {
  const usage = { input_tokens: 1, cache_read_input_tokens: 5, cache_creation_input_tokens: 2, output_tokens: 1 };
  const stream = sse(
    { type: 'message_start', message: { model: 'm-1', usage } },
    { type: 'ping' },
    { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', id: 's', name: 'web' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'odd_delta' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } } },
    { type: 'content_block_stop', index: 1 },
    { type: 'content_block_start', index: 2, content_block: { type: 'tool_use', id: 'b', name: 'g', input: {} } },
    { type: 'content_block_delta', index: 2, delta: { type: 'input_json_delta', partial_json: '' } },
    { type: 'content_block_stop', index: 2 },
    { type: 'news' },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 9 } },
    { type: 'message_stop' },
  );
  await withWire('anthropic', { replies: [{ chunks: [stream] }] }, async ({ provider }) => {
    const end = await endOf(provider.stream(request()));
    expect(end.message.content).toMatchObject([
      {
        type: 'server-tool-call',
        id: 's',
        name: 'web',
        arguments: '{}',
        providerData: { type: 'server_tool_use', id: 's', name: 'web' },
      },
      { id: 'a', name: 'f', arguments: '{"x":1}' },
      { id: 'b', name: 'g', arguments: '{}' },
    ]);
    expect(end.message.provider).toEqual({ vendor: 'anthropic', model: 'm-1' });
    const counts = { inputTokens: 8, outputTokens: 9, cachedInputTokens: 5, cacheWriteTokens: 2 };
    expect(end.usage).toEqual({ ...counts, serverToolCalls: { web: 1 } });
  });
});

test('an overload in the middle is PROVIDER_HTTP 529, retryable, with the text so far', async () => {
  verifies('providers.stream.cut');
  const stream = sse(
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'half' } },
    { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } },
  );
  await withWire('anthropic', { replies: [{ chunks: [stream] }] }, async ({ provider }) => {
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({ code: 'PROVIDER_HTTP', retryable: true, data: { status: 529, partialText: 'half' } });
    expect(error.message).toContain('Overloaded');
  });
});

test('pause_turn and a refusal end with other and refusal', async () => {
  const replies = [
    { text: 'wait', finishReason: 'other' },
    { text: 'no', finishReason: 'refusal' },
  ] as const;
  await withWire('anthropic', { replies }, async ({ provider }) => {
    const paused = await endOf(provider.stream(request()));
    expect([paused.finishReason, textOf(paused.message)]).toEqual(['other', 'wait']);
    expect((await endOf(provider.stream(request()))).finishReason).toBe('refusal');
  });
});
