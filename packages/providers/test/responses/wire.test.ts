import { toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD, history, IMAGE } from '../history.ts';
import { endOf, errorOf, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

async function bodyOf(more: Parameters<typeof request>[0]): Promise<Record<string, unknown>> {
  let body: unknown;
  await withWire('openai-responses', { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    await endOf(provider.stream(request(more)));
    body = server.requests[0]?.body;
  });
  return body as Record<string, unknown>;
}

const ITEM = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'enc' };

test('a history is written as items that pair by call_id, reasoning in front of what followed it', async () => {
  verifies('providers.openai.responses', 'providers.vision');
  const body = await bodyOf({ messages: history('openai-responses', ITEM), tools: [ADD] });
  const image = { type: 'input_image', image_url: `data:image/png;base64,${IMAGE.data}`, detail: 'auto' };
  expect(body['input']).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: [{ type: 'input_text', text: 'Look.' }, image] },
    ITEM,
    { role: 'assistant', content: 'Let me see.' },
    { type: 'function_call', call_id: 'a', name: 'add', arguments: '{"x":1}' },
    { type: 'function_call', call_id: 'b', name: 'add', arguments: '{"x":1}' },
    { type: 'function_call_output', call_id: 'b', output: 'Error: too big' },
    { type: 'function_call_output', call_id: 'a', output: [{ type: 'input_text', text: '2' }, image] },
    { role: 'user', content: 'Go on.' },
  ]);
  expect(body).toMatchObject({ store: false, tools: [{ type: 'function', name: 'add', strict: false }] });
  expect(JSON.stringify(await bodyOf({ messages: history('openai', ITEM), tools: [ADD] }))).not.toContain('rs_1');
});

test('a reasoning item is emitted with its call and sent back unchanged; one that nothing followed is not sent back', async () => {
  verifies('providers.openai.responses');
  const call = { id: 'c1', name: 'add', arguments: { x: 1 } };
  const replies = [
    { reasoning: 'hm', calls: [call] },
    { text: 'ok' },
    { reasoning: 'hm', calls: [call], finishReason: 'length' },
    { text: 'ok' },
  ] as const;
  await withWire('openai-responses', { replies }, async ({ provider, server }) => {
    const { message } = await endOf(provider.stream(request({ tools: [ADD] })));
    expect(toolCallsOf(message)).toMatchObject([{ id: 'c1', arguments: '{"x":1}' }]);
    const result = { role: 'tool', toolCallId: 'c1', name: 'add', content: '2' } as const;
    await endOf(provider.stream(request({ messages: [...request().messages, message, result] })));
    expect(server.requests[1]?.body).toMatchObject({
      input: [
        {},
        { type: 'reasoning', id: 'rs_wire', encrypted_content: 'enc-wire' },
        { type: 'function_call', call_id: 'c1' },
        {},
      ],
    });
    const cut = await endOf(provider.stream(request({ tools: [ADD] })));
    expect(cut).toMatchObject({ finishReason: 'length', droppedCalls: [{ id: 'c1' }] });
    await endOf(provider.stream(request({ messages: [...request().messages, cut.message] })));
    expect(JSON.stringify(server.requests[3]?.body)).not.toContain('rs_wire');
  });
});

test('arguments that come only in the done event, or only with the whole response, are taken once', async () => {
  verifies('providers.openai.responses');
  const item = { type: 'function_call', id: 'fc_1', call_id: 'c1', name: 'f', arguments: '{"x":1}' };
  const completed = { type: 'response.completed', response: { status: 'completed', output: [item] } };
  const streams = [
    [completed],
    [{ type: 'response.output_item.done', output_index: 0, item }, completed],
    [
      { type: 'response.output_item.added', output_index: 0, item: { ...item, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"x"' },
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: ':1}' },
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"x":1}' },
      { type: 'response.news' },
      completed,
      '[DONE]',
    ],
  ];
  const replies = streams.map((stream) => ({ chunks: [sse(...stream)] }));
  await withWire('openai-responses', { replies }, async ({ provider }) => {
    for (const _ of streams) {
      const end = await endOf(provider.stream(request()));
      expect(end.finishReason).toBe('tool-calls');
      expect(end.message.content).toEqual([{ type: 'tool-call', id: 'c1', name: 'f', arguments: '{"x":1}' }]);
    }
  });
});

test('options, tool choice and response format are encoded in the terms of the vendor', async () => {
  verifies('providers.options', 'providers.toolChoice');
  const schema = { type: 'object', properties: {}, required: [], additionalProperties: false };
  const body = await bodyOf({
    model: 'a-model-of-another-vendor',
    tools: [ADD],
    toolChoice: { name: 'add' },
    options: { maxTokens: 9, temperature: 0, reasoningEffort: 'low', parallel_tool_calls: false, store: true },
    responseFormat: { name: 'n', schema, strict: true },
  });
  expect(body).toMatchObject({
    max_output_tokens: 9,
    temperature: 0,
    store: true,
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'low' },
    parallel_tool_calls: false,
    tool_choice: { type: 'function', name: 'add' },
    text: { format: { type: 'json_schema', name: 'n', schema, strict: true } },
  });
  expect(await bodyOf({ tools: [ADD] })).not.toHaveProperty('include');
});

test.each([
  [
    'response.failed',
    { type: 'response.failed', response: { status: 'failed', error: { code: 'server_error', message: 'broke' } } },
  ],
  ['an error event', { type: 'error', code: 'server_error', message: 'broke' }],
  ['an error object', { error: { message: 'broke' } }],
])('%s throws with the text so far', async (_, event) => {
  verifies('providers.stream.cut');
  const text = { type: 'response.output_text.delta', output_index: 0, delta: 'half' };
  await withWire('openai-responses', { replies: [{ chunks: [sse(text, event)] }] }, async ({ provider }) => {
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({ code: 'PROVIDER_PROTOCOL', data: { partialText: 'half' } });
    expect(error.message).toContain('broke');
  });
});
