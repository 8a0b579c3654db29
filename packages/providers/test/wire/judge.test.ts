// A mock server that others wrote: an independent judge of the happy paths. It listens on loopback and needs no network.
import { LLMock } from '@copilotkit/aimock';
import { type Message, textOf, toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createProviders } from '../../src/index.ts';
import { ADD, IMAGE } from '../history.ts';
import { endOf } from '../support.ts';
import { WIRES } from '../wires.ts';

const PATHS: ReadonlyMap<string, string> = new Map([
  ['openai', '/v1'],
  ['openai-responses', '/v1'],
]);

describe.each(WIRES)('against an independent mock server, the wire %s', (wire, config) => {
  test.each([true, false])('calls a tool and answers from its result (stream: %s)', async (stream) => {
    verifies('providers.port', 'providers.anthropic', 'providers.gemini', 'providers.ollama', 'providers.bedrock');
    const mock = new LLMock({ port: 0, host: '127.0.0.1' });
    mock.on({ userMessage: 'What is 1 + 2?', turnIndex: 0 }, { toolCalls: [{ name: 'add', arguments: '{"x":1}' }] });
    mock.on({ userMessage: 'What is 1 + 2?', turnIndex: 1 }, { content: 'It is 3, dear äöü 🌍.' });
    const url = await mock.start();
    try {
      const token = wire === 'bedrock' || wire === 'openai' ? {} : { token: 'abcd' };
      const baseUrl = `${url}${PATHS.get(wire) ?? ''}`;
      const provider = createProviders().create({ name: wire, ...token, ...config, baseUrl });
      const user: Message = { role: 'user', content: [IMAGE, { type: 'text', text: 'What is 1 + 2?' }] };
      const shared = { model: wire === 'bedrock' ? 'anthropic.claude-3' : 'test-model', tools: [ADD], stream };
      const first = await endOf(provider.stream({ ...shared, messages: [user] }));
      const [call] = toolCallsOf(first.message);
      expect(call).toMatchObject({ name: 'add', arguments: expect.stringMatching(/^\{"x": ?1\}$/) as unknown });
      expect(first.finishReason).toBe('tool-calls');
      const result: Message = { role: 'tool', toolCallId: call?.id ?? '', name: 'add', content: '3' };
      const second = await endOf(provider.stream({ ...shared, messages: [user, first.message, result] }));
      expect(textOf(second.message)).toBe('It is 3, dear äöü 🌍.');
      expect(second.finishReason).toBe('stop');
    } finally {
      await mock.stop();
    }
  });
});
