import { readFileSync } from 'node:fs';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider, createProviders } from '../../src/index.ts';
import type { ChatConfig } from '../../src/openai/index.ts';
import { CHAT_PRESETS, isChatName } from '../../src/openai/presets.ts';
import { ADD } from '../history.ts';
import { chunk, endOf, request, sse, withServer } from '../support.ts';

async function bodyOf(name: ChatConfig['name'], more: Parameters<typeof request>[0]): Promise<Record<string, unknown>> {
  let body: unknown;
  await withServer([{ text: 'ok' }], async ({ server }) => {
    await endOf(createProvider({ name, baseUrl: server.baseUrl }).stream(request(more)));
    body = server.requests[0]?.body;
  });
  return body as Record<string, unknown>;
}

const ASKED = {
  tools: [{ ...ADD, strict: true }],
  toolChoice: 'required',
  options: { maxTokens: 9, seed: 1, parallelToolCalls: false },
} as const;

const NAMES = [...CHAT_PRESETS.keys()].filter(isChatName) as ChatConfig['name'][];
const README = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');

test.each(NAMES)(
  '%s is known by name, needs no address, speaks chat completions, and is in the README',
  async (name) => {
    verifies('providers.openai.chat', 'providers.registry.create');
    expect(createProviders().names).toContain(name);
    expect(createProvider({ name, token: 'abcd' }).name).toBe(name);
    expect(await bodyOf(name, { tools: [ADD] })).toMatchObject({ model: 'test-model', tools: [{ type: 'function' }] });
    expect(README).toContain(`\`${name}\``);
  },
);

test('mistral gets random_seed and "any", and is not asked for the usage of a stream', async () => {
  const body = await bodyOf('mistral', ASKED);
  expect(body).toMatchObject({ random_seed: 1, tool_choice: 'any', max_tokens: 9, parallel_tool_calls: false });
  expect(body).not.toHaveProperty('seed');
  expect(body).not.toHaveProperty('stream_options');
});

test('groq gets max_completion_tokens and no strict, deepseek no parallel_tool_calls', async () => {
  const groq = await bodyOf('groq', ASKED);
  expect(groq).toMatchObject({ max_completion_tokens: 9, seed: 1, tool_choice: 'required' });
  expect(JSON.stringify(groq)).not.toContain('strict');
  expect(await bodyOf('deepseek', ASKED)).not.toHaveProperty('parallel_tool_calls');
});

test('a server that takes no parallel_tool_calls leaves it out with a warning that names it', async () => {
  verifies('providers.models');
  await withServer([{ text: 'ok' }, { text: 'ok' }], async ({ server }) => {
    const provider = createProvider({ name: 'deepseek', baseUrl: server.baseUrl });
    const options = { parallelToolCalls: false };
    const { warnings } = await endOf(provider.stream(request({ tools: [ADD], options })));
    expect(warnings).toMatchObject([{ message: 'parallelToolCalls is left out: deepseek does not take it' }]);
    const { warnings: none } = await endOf(
      provider.stream(request({ tools: [ADD], options: { parallelToolCalls: true } })),
    );
    expect(none).toBeUndefined();
  });
});

test('where a server takes no schema for replies, JSON is requested in the instructions, with a warning', async () => {
  const responseFormat = { name: 'sum', schema: { type: 'object', properties: { n: { type: 'number' } } } };
  await withServer([{ text: '{}' }], async ({ server }) => {
    const provider = createProvider({ name: 'deepseek', baseUrl: server.baseUrl });
    const { warnings } = await endOf(provider.stream(request({ responseFormat })));
    expect(warnings).toMatchObject([{ message: expect.stringContaining('does not accept a schema') as unknown }]);
    expect(server.requests[0]?.body).toMatchObject({
      response_format: { type: 'json_object' },
      messages: [{ role: 'system', content: expect.stringContaining('"n":{"type":"number"}') as unknown }, {}],
    });
  });
});

test('reasoning details of openrouter arrive in pieces and are sent back complete, signature included', async () => {
  const detail = { type: 'reasoning.text', index: 0, format: 'v1' };
  const stream = sse(
    chunk({ reasoning: 'hm', reasoning_details: [{ ...detail, text: 'hm' }] }),
    chunk({ reasoning: ', so', reasoning_details: [{ ...detail, text: ', so', signature: null }] }),
    chunk({ reasoning_details: [{ ...detail, signature: 'sig' }], content: 'ok' }),
    chunk({ reasoning_details: [{ type: 'reasoning.encrypted', index: 1, data: 'enc' }] }, 'stop'),
  );
  await withServer([{ chunks: [stream] }, { text: 'ok' }], async ({ server }) => {
    const provider = createProvider({ name: 'openrouter', baseUrl: server.baseUrl });
    const { message } = await endOf(provider.stream(request()));
    expect(message.content[0]).toEqual({ type: 'reasoning', text: 'hm, so' });
    await endOf(provider.stream(request({ messages: [...request().messages, message, ...request().messages] })));
    expect(server.requests[1]?.body).toMatchObject({
      messages: [
        {},
        {
          content: 'ok',
          reasoning_details: [
            { ...detail, text: 'hm, so', signature: 'sig' },
            { type: 'reasoning.encrypted', index: 1, data: 'enc' },
          ],
        },
        {},
      ],
    });
  });
});

test('reasoning is sent back to the server that produced it, in the field that it wants', async () => {
  const said = (vendor: string) =>
    ({
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'hm' },
        { type: 'text', text: 'ok' },
      ],
      provider: { vendor, model: 'm' },
    }) as const;
  const messages = (vendor: string) => [...request().messages, said(vendor), ...request().messages];
  expect(await bodyOf('deepseek', { messages: messages('deepseek') })).toMatchObject({
    messages: [{}, { reasoning_content: 'hm' }, {}],
  });
  expect(await bodyOf('groq', { messages: messages('groq') })).toMatchObject({
    messages: [{}, { reasoning: 'hm' }, {}],
  });
  expect(JSON.stringify(await bodyOf('groq', { messages: messages('deepseek') }))).not.toContain('hm');
});
