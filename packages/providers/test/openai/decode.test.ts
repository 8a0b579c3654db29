/* oxlint-disable no-await-in-loop -- one after another is what is tested */
import { textOf, toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { all, chunk, endOf, errorOf, request, sse, withServer } from '../support.ts';

const CALL = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };

async function end(body: string, work: (message: Awaited<ReturnType<typeof endOf>>) => void): Promise<void> {
  await withServer([{ chunks: [body] }], async ({ provider }) => work(await endOf(provider.stream(request()))));
}

test('a usage chunk with empty or null choices, chunks without delta, null fields and unknown kinds are read or ignored', async () => {
  const body = sse(
    { choices: [], prompt_filter_results: [{ content_filter_results: {} }] },
    { choices: [{ index: 0 }] },
    {
      choices: [{ index: 0, delta: { role: 'assistant', content: null, tool_calls: null }, finish_reason: null }],
      usage: null,
    },
    { object: 'ping' },
    chunk({ content: 'Hi' }),
    { choices: [{ index: 1, delta: { content: 'another choice' } }] },
    chunk({}, 'stop'),
    { choices: null, usage: { prompt_tokens: 9, completion_tokens: 2, prompt_tokens_details: { cached_tokens: 4 } } },
    '[DONE]',
    'after the end',
  );
  await end(body, ({ finishReason, message, usage }) => {
    expect(textOf(message)).toBe('Hi');
    expect(finishReason).toBe('stop');
    expect(usage).toEqual({ inputTokens: 9, outputTokens: 2, cachedInputTokens: 4 });
  });
});

test('reasoning comes as its own events and part, under either field name and as a thinking part', async () => {
  const body = sse(
    chunk({ reasoning_content: 'a' }),
    chunk({ reasoning: 'b' }),
    chunk({ content: [{ type: 'thinking', thinking: [{ type: 'text', text: 'c' }] }] }),
    chunk({ content: [{ type: 'text', text: 'Hi' }] }),
    chunk({}, 'stop'),
  );
  await end(body, ({ message }) => {
    expect(message.content).toEqual([
      { type: 'reasoning', text: 'abc' },
      { type: 'text', text: 'Hi' },
    ]);
  });
});

test.each(['stop', 'function_call', 'tool_calls', 'something_new'])(
  'a finish reason of %s with calls means tool-calls',
  async (reason) => {
    await end(sse(chunk({ tool_calls: [CALL] }), chunk({}, reason), '[DONE]'), ({ finishReason, message }) => {
      expect(finishReason).toBe('tool-calls');
      expect(toolCallsOf(message)).toEqual([{ type: 'tool-call', id: 'a', name: 'f', arguments: '{"x":1}' }]);
    });
  },
);

test('a finish in the last content chunk, sent twice, without an end mark, still ends once', async () => {
  verifies('providers.stream.end');
  const body = sse(chunk({ content: 'Hi' }, 'stop'), chunk({}, 'stop'));
  await withServer([{ chunks: [body] }], async ({ provider }) => {
    const events = await all(provider.stream(request()));
    expect(events.map((event) => event.type)).toEqual(['text-delta', 'message-end']);
  });
});

test.each([
  ['length', 'length'],
  ['content_filter', 'content-filter'],
])('calls of a reply that ended by %s are dropped, not run', async (reason, expected) => {
  await end(
    sse(chunk({ tool_calls: [CALL] }), chunk({}, reason), '[DONE]'),
    ({ droppedCalls, finishReason, message }) => {
      expect(finishReason).toBe(expected);
      expect(message.content).toEqual([]);
      expect(droppedCalls).toEqual([{ id: 'a', name: 'f', arguments: '{"x":1}', reason: expected }]);
    },
  );
});

test('a refusal is text with its own finish reason', async () => {
  await end(sse(chunk({ refusal: 'I will not.' }), chunk({}, 'stop'), '[DONE]'), ({ finishReason, message }) => {
    expect([finishReason, textOf(message)]).toEqual(['refusal', 'I will not.']);
  });
});

const broken: readonly [string, string, object][] = [
  [
    'an error object mid-stream',
    sse(chunk({ content: 'par' }), { error: { message: 'GPU lost', type: 'server_error' } }),
    { code: 'PROVIDER_PROTOCOL', retryable: true },
  ],
  [
    'an error object with a status',
    sse(chunk({ content: 'par' }), { error: { message: 'GPU lost', code: 502 } }),
    { code: 'PROVIDER_HTTP', retryable: true },
  ],
  [
    'an error event',
    `${sse(chunk({ content: 'par' }))}event: error\ndata: {"message":"GPU lost"}\n\n`,
    { code: 'PROVIDER_PROTOCOL' },
  ],
  [
    'a finish reason "error"',
    sse(chunk({ content: 'par' }), {
      choices: [{ index: 0, delta: {}, finish_reason: 'error', error: { message: 'GPU lost' } }],
    }),
    { code: 'PROVIDER_PROTOCOL' },
  ],
  [
    'an object of kind "error"',
    sse(chunk({ content: 'par' }), { object: 'error', message: 'GPU lost' }),
    { code: 'PROVIDER_PROTOCOL' },
  ],
];

test.each(broken)('%s throws with the partial text and the vendor message', async (_, body, expected) => {
  verifies('providers.stream.cut');
  await withServer([{ chunks: [body] }], async ({ provider }) => {
    const error = await errorOf(provider.stream(request()));
    expect(error).toMatchObject({ ...expected, data: { partialText: 'par' } });
    expect(error.message).toContain('GPU lost');
  });
});

test('a stream that ends without a finish reason or end mark is never taken as finished, though its arguments parse', async () => {
  verifies('providers.stream.cut');
  for (const body of [sse(chunk({ content: 'par' })), sse(chunk({ content: 'par' }), chunk({ tool_calls: [CALL] }))]) {
    await withServer([{ chunks: [body] }], async ({ provider }) => {
      const error = await errorOf(provider.stream(request()));
      expect(error).toMatchObject({ code: 'PROVIDER_PROTOCOL', data: { partialText: 'par' } });
    });
  }
});

test.each([
  ['nothing', ''],
  ['only comments', ': hi\n\n: ho\n\n'],
  ['an HTML page', '<!DOCTYPE html><html><title>Sign in</title></html>'],
  ['JSON that was cut', '{"choices":[{"message":{"content":"Hi"'],
  ['JSON without choices', '{"hello":1}'],
  ['only an end mark', 'data: [DONE]\n\n'],
])('status 200 with %s throws PROVIDER_PROTOCOL', async (_, body) => {
  verifies('providers.stream.cut');
  await withServer([{ chunks: [body] }, { chunks: [body] }], async ({ provider }) => {
    for (const stream of [true, false]) {
      expect(await errorOf(provider.stream(request({ stream })))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
    }
  });
});

test('a JSON reply to a streaming request, and a stream to a plain one, are read all the same', async () => {
  const json = JSON.stringify({ choices: [{ message: { content: 'Hi', tool_calls: [CALL] }, finish_reason: 'stop' }] });
  const stream = sse(chunk({ content: 'Hi' }), chunk({ tool_calls: [CALL] }), chunk({}, 'stop'));
  await withServer([{ chunks: [json] }, { chunks: [stream] }], async ({ provider }) => {
    const first = await all(provider.stream(request({ stream: true })));
    const second = await all(provider.stream(request({ stream: false })));
    expect(first).toEqual(second);
  });
});

test('two equal calls of a reply in one piece stay two, the second with an id of its own', async () => {
  const json = JSON.stringify({ choices: [{ message: { tool_calls: [CALL, CALL] }, finish_reason: 'tool_calls' }] });
  await end(json, ({ message }) => {
    expect(toolCallsOf(message).map((call) => call.id)).toEqual(['a', 'call_1']);
  });
});

test('the message is frozen and names who wrote it', async () => {
  await end(sse({ ...chunk({ content: 'Hi' }, 'stop'), model: 'model-7' }), ({ message }) => {
    expect(message.provider).toEqual({ vendor: 'openai', model: 'model-7' });
    expect(Object.isFrozen(message) && Object.isFrozen(message.content) && Object.isFrozen(message.content[0])).toBe(
      true,
    );
  });
});

test('pieces of arguments alone, in any order of the calls, are read like pieces that repeat what the call has', async () => {
  verifies('providers.stream.assemble');
  let state = 7;
  const below = (limit: number): number => (state = (state * 48_271) % 2_147_483_647) % limit;
  const texts = ['{"a":1', '{"b":[1,', '"x"', ',2', '}', ']}', '', ' ', '{"a":1}', '{}'];
  for (let round = 0; round < 60; round += 1) {
    const pieces = Array.from({ length: 12 }, () => ({ index: below(3), arguments: texts[below(texts.length)] ?? '' }));
    const [alone, repeated] = [{}, { id: null, type: 'function' }].map((more) =>
      sse(
        ...[0, 1, 2].map((index) =>
          chunk({ tool_calls: [{ index, id: `c${index}`, function: { name: `f${index}` } }] }),
        ),
        ...pieces.map(({ index, arguments: text }) =>
          chunk({ tool_calls: [{ index, ...more, function: { arguments: text } }] }),
        ),
        chunk({}, 'tool_calls'),
      ),
    );
    await withServer([{ chunks: [alone ?? ''] }, { chunks: [repeated ?? ''] }], async ({ provider }) => {
      const read = async (): Promise<unknown> => all(provider.stream(request())).catch(String);
      const events = await read();
      expect({ pieces, events }).toEqual({ pieces, events: await read() });
    });
  }
});
