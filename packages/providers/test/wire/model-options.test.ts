import type { Tool } from '@kernel/protocol';
import { type WireName, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { endOf, request } from '../support.ts';
import { withWire } from '../wires.ts';

const weather: Tool = { name: 'weather', description: 'Tells the weather.', parameters: { type: 'object' } };
const options = { maxTokens: 64, temperature: 0.25, topP: 0.5, stop: ['END'], seed: 7, parallelToolCalls: false };

/** What each wire sends for the options above; an option that its API does not have is named in a warning or is not in its table. */
const SENT: readonly (readonly [WireName, string, object])[] = [
  [
    'openai',
    'gpt-4o',
    { max_tokens: 64, temperature: 0.25, top_p: 0.5, stop: ['END'], seed: 7, parallel_tool_calls: false },
  ],
  ['openai-responses', 'gpt-4o', { max_output_tokens: 64, temperature: 0.25, top_p: 0.5, parallel_tool_calls: false }],
  [
    'anthropic',
    'claude-3-5-sonnet-20241022',
    {
      max_tokens: 64,
      temperature: 0.25,
      top_p: 0.5,
      stop_sequences: ['END'],
      tool_choice: { disable_parallel_tool_use: true },
    },
  ],
  [
    'gemini',
    'gemini-2.0-flash',
    { generationConfig: { maxOutputTokens: 64, temperature: 0.25, topP: 0.5, stopSequences: ['END'], seed: 7 } },
  ],
  ['ollama', 'llama3.2', { options: { num_predict: 64, temperature: 0.25, top_p: 0.5, stop: ['END'], seed: 7 } }],
  [
    'bedrock',
    'amazon.nova-lite-v1:0',
    { inferenceConfig: { maxTokens: 64, temperature: 0.25, topP: 0.5, stopSequences: ['END'] } },
  ],
];

test.each(SENT)('%s sends every model option that its API has', async (wire, model, expected) => {
  verifies('providers.options', 'types.modelOptions');
  await withWire(wire, { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    await endOf(provider.stream(request({ model, options, tools: [weather] })));
    const body = server.requests[0]?.body as Readonly<Record<string, unknown>>;
    // Chat servers name the limit in one of two ways.
    const limit = 'max_completion_tokens' in body ? { max_tokens: body['max_completion_tokens'] } : {};
    expect({ ...body, ...limit }).toMatchObject(expected);
  });
});

test.each(SENT)('%s keeps a 0 of an option', async (wire, model) => {
  verifies('providers.options');
  await withWire(wire, { replies: [{ text: 'ok' }] }, async ({ provider, server }) => {
    await endOf(provider.stream(request({ model, options: { temperature: 0, topP: 0 } })));
    expect(JSON.stringify(server.requests[0]?.body)).toMatch(/"temperature":0[,}].*"top_?[pP]":0[,}]/);
  });
});
