import { type AssistantMessage, textOf, toolCallsOf } from '@kernel/protocol';
import { type RawReply, toEventStreamFrame, verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { all, endOf, errorOf, request, sse } from '../support.ts';
import { WIRES, withWire } from '../wires.ts';

function chatCalls(call: object, finish: string | null = null): object {
  return { choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: finish }] };
}

function wholeChat(call: object): RawReply {
  const choice = { index: 0, message: { role: 'assistant', tool_calls: [call] }, finish_reason: 'tool_calls' };
  return { chunks: [JSON.stringify({ choices: [choice] })] };
}

/** A streamed reply of each wire whose only content is a part that no decoder reads, and the part as it goes back. */
const REPLIES: readonly (readonly [WireName, RawReply, string, object])[] = [
  [
    'openai',
    {
      chunks: [
        sse(
          {
            choices: [
              {
                index: 0,
                delta: {
                  tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'sql', input: 'SELECT' } }],
                },
              },
            ],
          },
          {
            choices: [
              { index: 0, delta: { tool_calls: [{ index: 0, custom: { input: ' 1' } }] }, finish_reason: 'tool_calls' },
            ],
          },
          '[DONE]',
        ),
      ],
    },
    'custom_tool_call',
    { id: 'c', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } },
  ],
  [
    'openai',
    {
      chunks: [
        sse(
          chatCalls({ index: 0, id: 's', type: 'web_search', web_search: { name: 'web', query: { text: 'a' } } }),
          chatCalls({ index: 0, web_search: { name: 'web', query: { text: 'bc' } } }),
          chatCalls({ index: 0, id: null, type: null, function: null }, 'tool_calls'),
          '[DONE]',
        ),
      ],
    },
    'web_search_tool_call',
    { id: 's', type: 'web_search', web_search: { name: 'web', query: { text: 'abc' } } },
  ],
  [
    'openai',
    wholeChat({ id: 'w', type: 'code_run', function: { name: 'python', arguments: '{"x":1}' } }),
    'code_run_tool_call',
    { id: 'w', type: 'code_run', function: { name: 'python', arguments: '{"x":1}' } },
  ],
  [
    'openai',
    wholeChat({ id: 'k', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }),
    'custom_tool_call',
    { id: 'k', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } },
  ],
  [
    'openai-responses',
    {
      chunks: [
        sse(
          { type: 'response.output_item.added', output_index: 0, item: { type: 'compaction', id: 's', action: {} } },
          {
            type: 'response.output_item.done',
            output_index: 0,
            item: { type: 'compaction', id: 's', action: { commands: ['ls'] } },
          },
          {
            type: 'response.completed',
            response: { status: 'complete', output: [{ type: 'compaction', id: 's', action: { commands: ['ls'] } }] },
          },
        ),
      ],
    },
    'compaction',
    { type: 'compaction', id: 's', action: { commands: ['ls'] } },
  ],
  [
    'anthropic',
    {
      chunks: [
        sse(
          { type: 'message_start', message: {} },
          {
            type: 'content_block_start',
            index: 0,
            content_block: { type: 'new_tool_use', id: 'm', name: 'echo', server_name: 'e', input: {} },
          },
          { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"a":' } },
          { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '1}' } },
          { type: 'content_block_stop', index: 0 },
          { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
          { type: 'message_stop' },
        ),
      ],
    },
    'new_tool_use',
    { type: 'new_tool_use', id: 'm', name: 'echo', server_name: 'e', input: { a: 1 } },
  ],
  [
    'gemini',
    {
      chunks: [
        sse({
          candidates: [
            { content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'AAAA' } }] }, finishReason: 'STOP' },
          ],
        }),
      ],
    },
    'inlineData',
    { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
  ],
  [
    'bedrock',
    {
      headers: { 'content-type': 'application/vnd.amazon.eventstream' },
      chunks: [
        toEventStreamFrame('contentBlockStart', {
          contentBlockIndex: 0,
          start: { newKind: { toolUseId: 't', name: 'ground' } },
        }),
        toEventStreamFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { newKind: { input: '{"q":1}' } } }),
        toEventStreamFrame('contentBlockStop', { contentBlockIndex: 0 }),
        toEventStreamFrame('messageStop', { stopReason: 'end_turn' }),
      ],
    },
    'newKind',
    { newKind: { toolUseId: 't', name: 'ground', input: { q: 1 } } },
  ],
];

describe.each(REPLIES)('a part that only %s understands: %#', (wire, reply, kind, data) => {
  test('is kept as it was received, and is not a call', async () => {
    verifies('providers.replies.opaque', 'providers.replies.recorded');
    await withWire(wire, { replies: [reply] }, async ({ provider }) => {
      const { droppedCalls, message } = await endOf(provider.stream(request()));
      expect(message.content).toEqual([{ type: 'opaque', kind, providerData: data }]);
      expect(droppedCalls).toBeUndefined();
    });
  });

  test('goes back unchanged to its own vendor, and to no other', async () => {
    verifies('providers.replies.opaque');
    const message: AssistantMessage = {
      role: 'assistant',
      content: [
        { type: 'text', text: 'ok' },
        { type: 'opaque', kind, providerData: JSON.parse(JSON.stringify(data)) },
      ],
      provider: { vendor: wire, model: 'm' },
    };
    for (const [other] of WIRES) {
      // oxlint-disable-next-line no-await-in-loop -- one server at a time
      await withWire(other, { replies: [{ text: 'ok' }], strict: false }, async ({ provider, server }) => {
        await endOf(provider.stream(request({ messages: [...request().messages, message, ...request().messages] })));
        const body = Buffer.from(server.requests[0]?.bytes ?? []).toString('utf8');
        expect(body.includes(JSON.stringify(data).slice(1, -1))).toBe(other === wire);
      });
    }
  });
});

const block = (index: number, content: object): object => ({
  type: 'content_block_start',
  index,
  content_block: content,
});
const delta = (index: number, content: object): object => ({ type: 'content_block_delta', index, delta: content });

test('a reply that its vendor begins anew has only the second beginning; the cut call of the first is dropped', async () => {
  verifies('providers.stream.cut', 'providers.replies.recorded');
  const stream = sse(
    { type: 'message_start', message: {} },
    block(0, { type: 'tool_use', id: 'first', name: 'f', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{"x":"hal' }),
    { type: 'message_start', message: {} },
    block(0, { type: 'tool_use', id: 'second', name: 'f', input: {} }),
    delta(0, { type: 'input_json_delta', partial_json: '{"x":"whole"}' }),
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  );
  await withWire('anthropic', { replies: [{ chunks: [stream] }] }, async ({ provider }) => {
    const end = await endOf(provider.stream(request()));
    expect(toolCallsOf(end.message)).toEqual([
      { type: 'tool-call', id: 'second', name: 'f', arguments: '{"x":"whole"}' },
    ]);
    expect(end.droppedCalls).toEqual([{ id: 'first', name: 'f', arguments: '{"x":"hal', reason: 'other' }]);
    expect(end.finishReason).toBe('tool-calls');
  });
});

test('a second beginning after text that was delivered is an error, since that text cannot be taken back', async () => {
  verifies('providers.stream.cut');
  const stream = sse(
    { type: 'message_start', message: {} },
    block(0, { type: 'text', text: 'half of' }),
    { type: 'message_start', message: {} },
    block(0, { type: 'text', text: 'whole' }),
    { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
    { type: 'message_stop' },
  );
  await withWire('anthropic', { replies: [{ chunks: [stream] }] }, async ({ provider }) => {
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({ code: 'PROVIDER_PROTOCOL', retryable: true, data: { partialText: 'half of' } });
    expect(error.message).toContain('second reply');
  });
});

const piece = (functionCall: object, finishReason?: string): object => ({
  candidates: [{ content: { parts: [{ functionCall }] }, ...(finishReason === undefined ? {} : { finishReason }) }],
});
const arg = (jsonPath: string, value: object): object =>
  piece({ partialArgs: [{ jsonPath, ...value }], willContinue: true });

describe('arguments that Gemini streams in pieces', () => {
  test('are put together by their paths, whatever the names are', async () => {
    verifies('providers.gemini', 'providers.replies.recorded');
    const stream = sse(
      piece({ name: 'f', willContinue: true }),
      arg('$.list[0].text', { stringValue: 'Bos', willContinue: true }),
      arg('$.list[0].text', { stringValue: 'ton' }),
      arg('$.list[1]', { numberValue: 2.5 }),
      arg('$.__proto__.on', { boolValue: true }),
      arg("$['a.b']", { nullValue: 'NULL_VALUE' }),
      piece({}, 'STOP'),
    );
    await withWire('gemini', { replies: [{ chunks: [stream] }] }, async ({ provider }) => {
      const [call] = toolCallsOf((await endOf(provider.stream(request()))).message);
      expect(call?.arguments).toBe('{"list":[{"text":"Boston"},2.5],"__proto__":{"on":true},"a.b":null}');
    });
  });

  test.each([
    [
      'end in the middle of a call',
      [piece({ name: 'f', willContinue: true }), piece({ name: 'g' }, 'STOP')],
      'cut off',
    ],
    [
      'end in the middle of a text',
      [
        piece({ name: 'f', willContinue: true }),
        arg('$.a', { stringValue: 'x', willContinue: true }),
        piece({}, 'STOP'),
      ],
      'cut off',
    ],
    [
      'leave out elements of a list',
      [piece({ name: 'f', willContinue: true }), arg('$.a[999999999]', { numberValue: 1 })],
      'does not fit',
    ],
    [
      'have a path that is none',
      [piece({ name: 'f', willContinue: true }), arg('$..a', { numberValue: 1 })],
      'cannot be read',
    ],
    [
      'are deeper than any schema',
      [piece({ name: 'f', willContinue: true }), arg(`$${'.a'.repeat(100_000)}`, { numberValue: 1 })],
      'cannot be read',
    ],
    ['belong to no call', [arg('$.a', { numberValue: 1 })], 'has not begun'],
  ])('that %s are an error, never a call', async (_, chunks, words) => {
    verifies('providers.stream.cut');
    await withWire('gemini', { replies: [{ chunks: [sse(...chunks)] }] }, async ({ provider }) => {
      const error = await errorOf(provider.stream(request()));
      expect(error.code).toBe('PROVIDER_PROTOCOL');
      expect(error.message).toContain(words);
    });
  });

  test('of a reply that was cut by its length are in the dropped calls', async () => {
    const end = { candidates: [{ content: { parts: [] }, finishReason: 'MAX_TOKENS' }] };
    const stream = sse(
      piece({ name: 'f', willContinue: true }),
      arg('$.a', { stringValue: 'x', willContinue: true }),
      end,
    );
    await withWire('gemini', { replies: [{ chunks: [stream] }] }, async ({ provider }) => {
      const { droppedCalls, finishReason, message } = await endOf(provider.stream(request()));
      expect([finishReason, message.content]).toEqual(['length', []]);
      expect(droppedCalls).toMatchObject([{ name: 'f', arguments: '{"a":"x"}', reason: 'length' }]);
    });
  });
});

test('text that a gateway left out of the deltas of a response comes with its item', async () => {
  const stream = sse(
    { type: 'response.output_text.delta', output_index: 0, delta: 'Got it' },
    {
      type: 'response.output_item.done',
      output_index: 0,
      item: { type: 'message', content: [{ type: 'output_text', text: 'Got it, all of it.' }] },
    },
    { type: 'response.completed', response: { status: 'completed', output: [] } },
  );
  await withWire('openai-responses', { replies: [{ chunks: [stream] }] }, async ({ provider }) => {
    const events = await all(provider.stream(request()));
    expect(events.flatMap((event) => (event.type === 'text-delta' ? [event.text] : []))).toEqual([
      'Got it',
      ', all of it.',
    ]);
    const end = events.at(-1);
    expect(end?.type === 'message-end' && textOf(end.message)).toBe('Got it, all of it.');
  });
});

test('a vector in base64 is read as its numbers', async () => {
  verifies('providers.embeddings');
  const embedding = Buffer.from(new Float32Array([0.5, -2]).buffer).toString('base64');
  const body = JSON.stringify({ data: [{ index: 0, embedding }], usage: { prompt_tokens: 3 } });
  await withWire('openai', { replies: [{ chunks: [body] }] }, async ({ provider }) => {
    const result = await provider.embed?.({ model: 'm', input: 'a', options: { encoding_format: 'base64' } });
    expect(result?.embeddings).toEqual([{ index: 0, vector: [0.5, -2] }]);
  });
});

test('the wait that an error body asks for is part of the error', async () => {
  verifies('providers.error.http');
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }];
  const body = JSON.stringify({ error: { code: 429, message: 'Quota.', status: 'RESOURCE_EXHAUSTED', details } });
  await withWire('gemini', { replies: [{ status: 429, chunks: [body] }] }, async ({ provider }) => {
    expect(await errorOf(provider.stream(request()))).toMatchObject({
      retryable: true,
      data: { status: 429, retryAfterMs: 34_400 },
    });
  });
});
