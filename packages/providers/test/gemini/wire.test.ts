import { toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD, history, IMAGE } from '../history.ts';
import { endOf, errorOf, request, sse } from '../support.ts';
import { withWire } from '../wires.ts';

async function bodyOf(more: Parameters<typeof request>[0]): Promise<Record<string, unknown>> {
  let body: unknown;
  await withWire('gemini', { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    await endOf(provider.stream(request(more)));
    body = server.requests[0]?.body;
  });
  return body as Record<string, unknown>;
}

test('a history is written as contents: results in call order without ids, images inline, signatures on their call', async () => {
  verifies('providers.gemini', 'providers.vision');
  const body = await bodyOf({ messages: history('gemini', { thoughtSignature: 'sig' }), tools: [ADD] });
  const image = { inlineData: { mimeType: 'image/png', data: IMAGE.data } };
  const call = { functionCall: { name: 'add', args: { x: 1 } } };
  expect(body['systemInstruction']).toEqual({ parts: [{ text: 'Be brief.' }] });
  expect(body['contents']).toEqual([
    { role: 'user', parts: [{ text: 'Look.' }, image] },
    {
      role: 'model',
      parts: [
        { text: '', thoughtSignature: 'sig' },
        { text: 'Let me see.' },
        { ...call, thoughtSignature: 'sig-call' },
        call,
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'add', response: { result: '2' } } },
        image,
        { functionResponse: { name: 'add', response: { error: 'too big' } } },
        { text: 'Go on.' },
      ],
    },
  ]);
  const foreign = await bodyOf({ messages: history('anthropic', { thoughtSignature: 'sig' }), tools: [ADD] });
  expect(JSON.stringify(foreign)).not.toContain('thoughtSignature');
});

test('a thought signature is emitted with its call and sent back unchanged; a call without an id gets one', async () => {
  verifies('providers.gemini');
  const part = { functionCall: { name: 'add', args: { x: 1 } }, thoughtSignature: 's1' };
  const stream = sse({
    candidates: [
      { content: { parts: [part, { functionCall: { name: 'add', args: { x: 1 } } }] }, finishReason: 'STOP' },
    ],
  });
  await withWire('gemini', { replies: [{ chunks: [stream] }, { text: 'ok' }] }, async ({ provider, server }) => {
    const { finishReason, message } = await endOf(provider.stream(request({ tools: [ADD] })));
    expect(finishReason).toBe('tool-calls');
    const calls = toolCallsOf(message);
    expect(calls).toMatchObject([{ id: 'call_1', providerData: { thoughtSignature: 's1' } }, { id: 'call_2' }]);
    const results = calls.map(({ id, name }) => ({ role: 'tool' as const, toolCallId: id, name, content: '2' }));
    await endOf(provider.stream(request({ messages: [...request().messages, message, ...results] })));
    expect(server.requests[1]?.body).toMatchObject({ contents: [{}, { parts: [part, {}] }, {}] });
  });
});

test('options, tool choice, names and response format are encoded in the terms of the vendor', async () => {
  verifies('providers.options', 'providers.toolChoice', 'providers.dialect');
  const tools = [{ ...ADD, name: '2-add', parameters: { type: 'object', properties: { c: { const: 1 } } } }];
  const body = await bodyOf({
    model: 'gemini-2.5-flash',
    tools,
    toolChoice: { name: '2-add' },
    options: { max_tokens: 9, topP: 0, seed: 0, stop: ['x'], reasoningEffort: 'low', generationConfig: { topK: 3 } },
    responseFormat: { name: 'n', schema: { type: 'object', properties: {} } },
  });
  expect(body['generationConfig']).toEqual({
    topK: 3,
    maxOutputTokens: 9,
    topP: 0,
    seed: 0,
    stopSequences: ['x'],
    thinkingConfig: { includeThoughts: true, thinkingBudget: 1024 },
    responseMimeType: 'application/json',
    responseJsonSchema: { type: 'object', properties: {} },
  });
  const name = expect.stringMatching(/^t_2-add_[0-9a-f]{8}$/) as unknown;
  expect(body).toMatchObject({
    tools: [{ functionDeclarations: [{ name, parametersJsonSchema: { properties: { c: { enum: [1] } } } }] }],
    toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: [name] } },
  });
  for (const [choice, mode] of [
    ['required', 'ANY'],
    ['none', 'NONE'],
    ['auto', 'AUTO'],
  ] as const) {
    expect((await bodyOf({ tools: [ADD], toolChoice: choice }))['toolConfig']).toEqual({
      functionCallingConfig: { mode },
    });
  }
});

test('the key is sent in a header and never in the URL', async () => {
  await withWire(
    'gemini',
    { replies: [{ text: 'ok' }, { text: 'ok' }], token: 'abcd' },
    async ({ provider, server }) => {
      await endOf(provider.stream(request()));
      await endOf(provider.stream(request({ stream: false })));
      expect(server.requests.map(({ path }) => path)).toEqual([
        '/v1beta/models/test-model:streamGenerateContent?alt=sse',
        '/v1beta/models/test-model:generateContent',
      ]);
      expect(server.requests[0]?.headers).toMatchObject({ 'x-goog-api-key': 'abcd' });
    },
  );
});

test.each([
  ['a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' } }, 'content-filter'],
  ['SAFETY', { candidates: [{ finishReason: 'SAFETY' }] }, 'content-filter'],
  [
    'RECITATION with a call',
    { candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] }, finishReason: 'RECITATION' }] },
    'content-filter',
  ],
  [
    'MALFORMED_FUNCTION_CALL',
    {
      candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] }, finishReason: 'MALFORMED_FUNCTION_CALL' }],
    },
    'other',
  ],
  [
    'MAX_TOKENS with a call',
    { candidates: [{ content: { parts: [{ functionCall: { name: 'f' } }] }, finishReason: 'MAX_TOKENS' }] },
    'length',
  ],
] as const)('%s ends without a runnable call', async (_, chunk, finishReason) => {
  await withWire(
    'gemini',
    { replies: [{ chunks: [sse(chunk)] }, { chunks: [JSON.stringify([chunk])] }] },
    async (setup) => {
      for (const stream of [true, false]) {
        const end = await endOf(setup.provider.stream(request({ stream })));
        expect(end.finishReason).toBe(finishReason);
        expect(toolCallsOf(end.message)).toEqual([]);
      }
    },
  );
});

test('thoughts are reasoning and are counted; no candidate at all is an error; an error array is read', async () => {
  const usageMetadata = {
    promptTokenCount: 5,
    candidatesTokenCount: 2,
    thoughtsTokenCount: 3,
    cachedContentTokenCount: 4,
  };
  const stream = sse({
    candidates: [{ content: { parts: [{ text: 'hm', thought: true }, { text: 'ok' }] }, finishReason: 'STOP' }],
    usageMetadata,
  });
  const error = JSON.stringify([{ error: { code: 503, message: 'busy', status: 'UNAVAILABLE' } }]);
  await withWire(
    'gemini',
    { replies: [{ chunks: [stream] }, { chunks: [sse({})] }, { chunks: [error] }] },
    async ({ provider }) => {
      const end = await endOf(provider.stream(request()));
      expect(end.message.content).toEqual([
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'ok' },
      ]);
      expect(end.usage).toEqual({ inputTokens: 5, outputTokens: 5, cachedInputTokens: 4, reasoningTokens: 3 });
      expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
      expect(await errorOf(provider.stream(request()))).toMatchObject({ code: 'PROVIDER_HTTP', data: { status: 503 } });
    },
  );
});
