import { toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD, history, IMAGE } from '../history.ts';
import { endOf, errorOf, request } from '../support.ts';
import { withWire } from '../wires.ts';

function lines(...values: readonly object[]): { chunks: string[] } {
  return { chunks: [values.map((value) => `${JSON.stringify(value)}\n`).join('')] };
}

async function sent(more: Parameters<typeof request>[0]) {
  let body: unknown;
  let warnings: unknown;
  await withWire('ollama', { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    ({ warnings } = await endOf(provider.stream(request(more))));
    body = server.requests[0]?.body;
  });
  return { body: body as Record<string, unknown>, warnings };
}

test('a history is written with arguments as objects, without ids, images beside the text', async () => {
  verifies('providers.ollama', 'providers.vision');
  const { body } = await sent({ messages: history('ollama', {}), tools: [ADD] });
  const call = { function: { name: 'add', arguments: { x: 1 } } };
  expect(body['messages']).toEqual([
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Look.', images: [IMAGE.data] },
    { role: 'assistant', content: 'Let me see.', thinking: 'hm', tool_calls: [call, call] },
    { role: 'tool', tool_name: 'add', content: 'Error: too big' },
    { role: 'tool', tool_name: 'add', content: '2', images: [IMAGE.data] },
    { role: 'user', content: 'Go on.' },
  ]);
  expect(JSON.stringify((await sent({ messages: history('openai', {}), tools: [ADD] })).body)).not.toContain(
    'thinking',
  );
});

test('options go into options, unknown keys to the root; a tool choice is met as far as the API can', async () => {
  verifies('providers.options', 'providers.toolChoice');
  const other = { ...ADD, name: 'sub' };
  const { body, warnings } = await sent({
    tools: [ADD, other],
    toolChoice: { name: 'sub' },
    options: { maxTokens: 9, temperature: 0, stop: 'x', keep_alive: '5m', reasoningEffort: 'none' },
    responseFormat: { name: 'n', schema: { type: 'object' } },
  });
  expect(body).toMatchObject({
    stream: true,
    think: false,
    keep_alive: '5m',
    format: { type: 'object' },
    options: { num_predict: 9, temperature: 0, stop: ['x'] },
    tools: [{ function: { name: 'sub' } }],
  });
  expect(warnings).toMatchObject([{ message: expect.stringContaining('cannot enforce') as unknown }]);
  expect((await sent({ tools: [ADD], toolChoice: 'none' })).body).not.toHaveProperty('tools');
});

test.each([
  [
    'in a line that is not the last',
    [
      { message: { tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }] }, done: false },
      { message: { content: '' }, done: true, done_reason: 'stop' },
    ],
  ],
  [
    'inside the last line',
    [{ message: { tool_calls: [{ function: { name: 'f', arguments: { x: 1 } } }] }, done: true }],
  ],
  [
    'with arguments as text',
    [{ message: { tool_calls: [{ function: { name: 'f', arguments: '{"x":1}' } }] }, done: true }],
  ],
] as const)('a call %s is taken, and gets an id where it has none', async (_, values) => {
  verifies('providers.ollama', 'providers.stream.assemble');
  await withWire('ollama', { replies: [lines(...values)] }, async ({ provider }) => {
    const end = await endOf(provider.stream(request()));
    expect(end.finishReason).toBe('tool-calls');
    expect(toolCallsOf(end.message)).toEqual([{ type: 'tool-call', id: 'call_1', name: 'f', arguments: '{"x":1}' }]);
  });
});

test('two calls with the same arguments in two lines are two calls, a missing argument object is an empty one', async () => {
  verifies('providers.stream.assemble');
  const call = { message: { tool_calls: [{ function: { index: 0, name: 'f' } }] }, done: false };
  await withWire('ollama', { replies: [lines(call, call, { done: true })] }, async ({ provider }) => {
    const end = await endOf(provider.stream(request()));
    expect(toolCallsOf(end.message)).toMatchObject([{ arguments: '{}' }, { arguments: '{}' }]);
  });
});

test('an error line first or later throws with the text so far, half a line is a cut', async () => {
  verifies('providers.stream.cut');
  const text = { message: { content: 'half' }, done: false };
  const cut = { chunks: [`${JSON.stringify(text)}\n{"message":{"con`] };
  const replies = [lines({ error: 'no such model' }), lines(text, { error: 'runner died' }), cut, lines(text)];
  await withWire('ollama', { replies }, async ({ provider }) => {
    expect((await errorOf(provider.stream(request()))).message).toContain('no such model');
    for (const _ of replies.slice(1)) {
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_PROTOCOL', data: { partialText: 'half' } });
    }
  });
});

test('done_reason load is other, length is length; a line over the limit is refused', async () => {
  verifies('providers.limits');
  const long = { chunks: Array.from({ length: 10 }, () => 'x'.repeat(1024 * 1024)) };
  const replies = [lines({ done: true, done_reason: 'load' }), lines({ done: true, done_reason: 'length' }), long];
  await withWire('ollama', { replies }, async ({ provider }) => {
    expect((await endOf(provider.stream(request()))).finishReason).toBe('other');
    expect((await endOf(provider.stream(request()))).finishReason).toBe('length');
    expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
  });
});
