import { toolCallsOf } from '@kernel/protocol';
import { type RawReply, toEventStreamFrame, verifies, type WireName } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { ADD } from '../history.ts';
import { endOf, request } from '../support.ts';
import { withWire } from '../wires.ts';

const whole = (body: string): RawReply => ({ chunks: [body] });
const event = (data: string): string => `data: ${data}\n\n`;
const frames = (...chunks: readonly Uint8Array[]): RawReply => ({
  headers: { 'content-type': 'application/vnd.amazon.eventstream' },
  chunks: [...chunks],
});

/** Replies that carry the arguments of one call of `add` as JSON objects, as each wire sends them. */
const REPLIES: readonly (readonly [string, WireName, (args: string) => RawReply])[] = [
  [
    'Gemini, streamed',
    'gemini',
    (args) =>
      whole(
        event(
          `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"add","args":${args}}}]},"finishReason":"STOP"}]}`,
        ),
      ),
  ],
  [
    'Gemini, whole',
    'gemini',
    (args) =>
      whole(
        `[{"candidates":[{"content":{"parts":[{"functionCall":{"name":"add","args":${args}}}]},"finishReason":"STOP"}]}]`,
      ),
  ],
  [
    'Ollama',
    'ollama',
    (args) =>
      whole(
        `{"message":{"tool_calls":[{"function":{"name":"add","arguments":${args}}}]},"done":true,"done_reason":"stop"}\n`,
      ),
  ],
  [
    'Messages, whole',
    'anthropic',
    (args) =>
      whole(
        `{"content":[{"type":"tool_use","id":"a","name":"add","input":${args}}],"stop_reason":"tool_use","usage":{}}`,
      ),
  ],
  [
    'Messages, streamed by a proxy',
    'anthropic',
    (args) =>
      whole(
        [
          '{"type":"message_start","message":{}}',
          `{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"a","name":"add","input":${args}}}`,
          '{"type":"content_block_stop","index":0}',
          '{"type":"message_delta","delta":{"stop_reason":"tool_use"}}',
          '{"type":"message_stop"}',
        ]
          .map(event)
          .join(''),
      ),
  ],
  [
    'Bedrock, streamed',
    'bedrock',
    (args) =>
      frames(
        toEventStreamFrame('contentBlockStart', {
          contentBlockIndex: 0,
          start: { toolUse: { toolUseId: 't', name: 'add' } },
        }),
        toEventStreamFrame('contentBlockDelta', { contentBlockIndex: 0, delta: { toolUse: { input: args } } }),
        toEventStreamFrame('messageStop', { stopReason: 'tool_use' }),
      ),
  ],
  [
    'a chat server that sends objects',
    'openai',
    (args) =>
      whole(
        `{"choices":[{"message":{"tool_calls":[{"id":"a","type":"function","function":{"name":"add","arguments":${args}}}]},"finish_reason":"tool_calls"}]}`,
      ),
  ],
];

const LOSSY = [
  '{"a":1,"a":2,"b":3}',
  '{"a":9007199254740993, "b":1}',
  '{"a":1e400,"b":[{"c":1,"\\u0063":2}]}',
  '{"args":{"input":{"arguments":{"a":1,"a":2}}}}',
];

describe.each(REPLIES)('the arguments of a call by %s', (_, wire, reply) => {
  test.each(LOSSY)('arrive as the text that was sent: %s', async (args) => {
    verifies('providers.stream.exact');
    await withWire(wire, { replies: [reply(args)] }, async ({ provider }) => {
      const { message } = await endOf(provider.stream(request({ tools: [ADD] })));
      expect(toolCallsOf(message).map((call) => call.arguments)).toEqual([args]);
    });
  });

  test('arrive as before where nothing is lost', async () => {
    await withWire(wire, { replies: [reply('{"a":"12:30","b":1}')] }, async ({ provider }) => {
      const { message } = await endOf(provider.stream(request({ tools: [ADD] })));
      expect(toolCallsOf(message).map((call) => call.arguments)).toEqual(['{"a":"12:30","b":1}']);
    });
  });
});

test('arguments that a strict schema would restore stay as they were sent where parsing changes them', async () => {
  verifies('providers.stream.exact');
  const text = '{"a":9007199254740993,"note":null}';
  const call = { id: 'a', type: 'function', function: { name: 'add', arguments: text } };
  const body = JSON.stringify({ choices: [{ message: { tool_calls: [call] }, finish_reason: 'tool_calls' }] });
  const parameters = {
    type: 'object',
    properties: { a: { type: 'integer' }, note: { type: 'string' } },
    required: ['a'],
    additionalProperties: false,
  };
  await withWire('openai', { replies: [whole(body), whole(body.replace('9007199254740993', '7'))] }, async (setup) => {
    const tools = [{ name: 'add', description: 'Adds.', parameters, strict: true }];
    const read = async (): Promise<unknown> =>
      toolCallsOf((await endOf(setup.provider.stream(request({ tools })))).message)[0]?.arguments;
    expect(await read()).toBe(text);
    expect(await read()).toBe('{"a":7}');
  });
});
