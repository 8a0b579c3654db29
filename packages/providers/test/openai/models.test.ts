import type { ProviderRequest } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { resolveChat } from '../../src/openai/config.ts';
import { createChatEncoder } from '../../src/openai/encode.ts';
import { ADD } from '../history.ts';
import { casesOf, fieldsOf, type Row, sentOver, wrongWarnings } from '../sent.ts';

const TEMPERATURE = { temperature: 0, topP: 0.5 };
const LEFT_OUT = ['temperature is left out', 'topP is left out'];
const NONE = { temperature: null, top_p: null };
const KEPT = { temperature: 0, top_p: 0.5 };

const ROWS: readonly Row[] = [
  // Sampling.
  ['gpt-4o-mini', TEMPERATURE, KEPT],
  ['gpt-4.1-2025-04-14', TEMPERATURE, KEPT],
  ['gpt-5-chat-latest', TEMPERATURE, KEPT],
  ['o3-mini', TEMPERATURE, NONE, LEFT_OUT],
  ['gpt-5', TEMPERATURE, NONE, LEFT_OUT],
  ['gpt-5-mini-2025-08-07', TEMPERATURE, NONE, LEFT_OUT],
  ['gpt-5.1', TEMPERATURE, KEPT],
  ['openai/gpt-5.2', TEMPERATURE, KEPT],
  ['openai/gpt-5.2:online', { ...TEMPERATURE, reasoningEffort: 'high' }, NONE, LEFT_OUT],
  ['gpt-5.4-mini', { ...TEMPERATURE, reasoningEffort: 'none' }, { ...KEPT, reasoning_effort: 'none' }],
  ['gpt-5.6-sol', TEMPERATURE, NONE, LEFT_OUT],
  ['gpt-5.6-sol', { ...TEMPERATURE, reasoningEffort: 'none' }, { ...KEPT, reasoning_effort: 'none' }],
  ['gpt-6-astra', TEMPERATURE, NONE, LEFT_OUT],
  ['gpt-9', TEMPERATURE, NONE, LEFT_OUT],
  ['gpt-4o-search-preview', TEMPERATURE, NONE, LEFT_OUT],
  ['ft:gpt-4o-mini-2024-07-18:me::1', TEMPERATURE, KEPT],
  ['openai/gpt-oss-120b', TEMPERATURE, KEPT],
  ['o3', { temperature: 1, topP: 1 }, NONE],
  ['o3', { frequency_penalty: 1, logprobs: true }, { frequency_penalty: null, logprobs: null }, ['logprobs is left']],
  ['gpt-5', { stop: 'x', presence_penalty: 1 }, { stop: null, presence_penalty: null }, ['stop is left out']],
  ['o1', { stop: 'x' }, { stop: 'x' }],
  // The limit of the reply.
  ['gpt-4o', { maxTokens: 9 }, { max_tokens: 9, max_completion_tokens: null }],
  ['o1-preview', { maxTokens: 9 }, { max_tokens: null, max_completion_tokens: 9 }],
  ['openai/o4-mini', { maxTokens: 9 }, { max_tokens: null, max_completion_tokens: 9 }],
  ['azure/gpt-5-nano', { maxTokens: 9 }, { max_tokens: null, max_completion_tokens: 9 }],
  // Efforts.
  ['gpt-4o', { reasoningEffort: 'low' }, { reasoning_effort: null }, ['reasoningEffort "low" is left out']],
  ['gpt-4o', { reasoningEffort: 'none' }, { reasoning_effort: null }],
  ['o1-mini', { reasoningEffort: 'low' }, { reasoning_effort: null }, ['reasoningEffort "low" is left out']],
  ['o3', { reasoningEffort: 'medium' }, { reasoning_effort: 'medium' }],
  ['o3', { reasoningEffort: 'minimal' }, { reasoning_effort: 'low' }, ['"minimal" is sent as "low"']],
  ['o3', { reasoningEffort: 'none' }, { reasoning_effort: 'low' }, ['"none" is sent as "low"']],
  ['gpt-5', { reasoningEffort: 'minimal' }, { reasoning_effort: 'minimal' }],
  ['gpt-5', { reasoningEffort: 'none' }, { reasoning_effort: 'minimal' }, ['"none" is sent as "minimal"']],
  ['gpt-5', { reasoningEffort: 'xhigh' }, { reasoning_effort: 'high' }, ['"xhigh" is sent as "high"']],
  ['gpt-5-pro', { reasoningEffort: 'low' }, { reasoning_effort: 'high' }, ['"low" is sent as "high"']],
  ['gpt-5.1', { reasoningEffort: 'minimal' }, { reasoning_effort: 'low' }, ['"minimal" is sent as "low"']],
  ['gpt-5.1', { reasoningEffort: 'none' }, { reasoning_effort: 'none' }],
  ['gpt-5.1-codex-max', { reasoningEffort: 'xhigh' }, { reasoning_effort: 'xhigh' }],
  ['gpt-5.2', { reasoningEffort: 'xhigh' }, { reasoning_effort: 'xhigh' }],
  ['gpt-5.2-2025-12-11', { reasoningEffort: 'max' }, { reasoning_effort: 'xhigh' }, ['"max" is sent as "xhigh"']],
  ['gpt-5.2-chat-latest', { reasoningEffort: 'high' }, { reasoning_effort: 'medium' }, ['is sent as "medium"']],
  ['gpt-5.5-pro', { reasoningEffort: 'low' }, { reasoning_effort: 'medium' }, ['is sent as "medium"']],
  ['gpt-6-luna', { reasoningEffort: 'max' }, { reasoning_effort: 'xhigh' }, ['is sent as "xhigh"']],
  ['gpt-6.1-sol', { reasoningEffort: 'none' }, { reasoning_effort: 'low' }, ['"none" is sent as "low"']],
  ['gpt-9', { reasoningEffort: 'minimal' }, { reasoning_effort: 'low' }, ['"minimal" is sent as "low"']],
  ['gpt-5', { reasoningEffort: 'extreme' }, { reasoning_effort: null }, ['reasoningEffort "extreme" is left out']],
  // Other vendors behind the same API take all.
  [
    'llama-4',
    { ...TEMPERATURE, reasoningEffort: 'extreme', stop: 'x' },
    { ...KEPT, reasoning_effort: 'extreme', stop: 'x' },
  ],
  ['anthropic/claude-opus-5', { ...TEMPERATURE, maxTokens: 9 }, { ...KEPT, max_tokens: 9 }],
];

describe('chat completions', () => {
  test.each(casesOf(ROWS))('$name', async ({ model, options, fields, expected }) => {
    verifies('providers.models');
    const { body, warnings } = await sentOver('openai', { model, options });
    expect(fieldsOf(body, fields)).toEqual(fields);
    expect(wrongWarnings(warnings, expected)).toEqual([]);
  });

  const TOOL_ROWS: readonly Row[] = [
    ['gpt-4o', { parallelToolCalls: false }, { parallel_tool_calls: false }],
    ['o3', { parallelToolCalls: false }, { parallel_tool_calls: null }, ['parallelToolCalls is left out']],
    ['o1', { parallelToolCalls: false }, { parallel_tool_calls: null }, ['parallelToolCalls is left out']],
    [
      'gpt-5',
      { parallelToolCalls: false, reasoningEffort: 'low' },
      { parallel_tool_calls: false, reasoning_effort: 'low' },
    ],
    [
      'gpt-5.4',
      { reasoningEffort: 'high', temperature: 0 },
      { reasoning_effort: null, temperature: 0 },
      ['openai-responses'],
    ],
    ['gpt-5.4', { reasoningEffort: 'none' }, { reasoning_effort: null }],
    ['gpt-5.5', {}, { reasoning_effort: 'none' }, ['an absent reasoningEffort is sent as "none"']],
    ['gpt-5.6-luna', { reasoningEffort: 'high' }, { reasoning_effort: 'none' }, ['"high" is sent as "none"']],
    ['gpt-5.6-luna', { reasoningEffort: 'none' }, { reasoning_effort: 'none' }],
    ['gpt-6.1-sol', { reasoningEffort: 'high' }, { reasoning_effort: 'high' }, ['tools may be refused']],
    ['llama-4', { parallelToolCalls: false, reasoningEffort: 'high' }, { parallel_tool_calls: false }],
  ];

  test.each(casesOf(TOOL_ROWS))('beside tools, $name', async ({ model, options, fields, expected }) => {
    verifies('providers.models');
    const { body, warnings } = await sentOver('openai', { model, options, tools: [ADD], toolChoice: 'required' });
    expect(fieldsOf(body, fields)).toEqual(fields);
    expect(body['tool_choice']).toBe('required');
    expect(wrongWarnings(warnings, expected)).toEqual([]);
  });

  test('a schema for the reply goes into the instructions of a model that takes none', async () => {
    verifies('providers.models');
    const responseFormat = { name: 'n', schema: { type: 'object' } };
    const turbo = await sentOver('openai', { model: 'gpt-4-turbo', responseFormat });
    expect(turbo.body['response_format']).toEqual({ type: 'json_object' });
    const old = await sentOver('openai', { model: 'gpt-4-0613', responseFormat });
    expect(old.body).not.toHaveProperty('response_format');
    for (const { body, warnings } of [turbo, old]) {
      expect(JSON.stringify(body['messages'])).toContain('JSON Schema');
      expect(warnings).toContain('does not accept a schema');
    }
  });

  test('the field that the config names for the limit is used whatever the model', async () => {
    verifies('providers.models');
    const request = { model: 'gpt-5', options: { maxTokens: 9 } };
    const { body } = await sentOver('openai', request, { quirks: { maxTokensField: 'max_tokens' } });
    expect(fieldsOf(body, { max_tokens: 9 })).toEqual({ max_tokens: 9 });
  });
});

describe('where every model is one of OpenAI', () => {
  function encoded(more: Partial<ProviderRequest>): { body: Record<string, unknown>; warnings: string } {
    const encode = createChatEncoder(resolveChat({ name: 'openai', token: 'abcd' }));
    const { body, warnings } = encode({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...more });
    const text = typeof body === 'string' ? body : Buffer.from(body).toString();
    return {
      body: JSON.parse(text) as Record<string, unknown>,
      warnings: warnings.map(({ message }) => message).join('\n'),
    };
  }

  test('a name that is not known gets the newest rules', () => {
    verifies('providers.models');
    const { body, warnings } = encoded({ model: 'a-model-of-tomorrow', options: { temperature: 0, maxTokens: 9 } });
    expect(fieldsOf(body, { temperature: null, max_completion_tokens: 9 })).toEqual({
      temperature: null,
      max_completion_tokens: 9,
    });
    expect(warnings).toContain('temperature is left out: "a-model-of-tomorrow" does not take it');
  });

  test.each([
    ['prod-gpt-4o', 'a-model', { temperature: 0 }],
    ['gpt-35-turbo', 'a-model', { temperature: 0 }],
    ['o3-mini-eu', 'a-model', { temperature: null }],
    ['my-gpt-5-mini', 'gpt-4o', { temperature: null }],
    ['chat-prod', 'gpt-4o', { temperature: 0 }],
    ['chat-prod', 'a-model', { temperature: null }],
  ])('the Azure deployment %s with the model %s sends %j', async (deployment, model, fields) => {
    verifies('providers.models');
    const { body, warnings } = await sentOver('azure', { model, options: { temperature: 0 } }, { deployment });
    expect(fieldsOf(body, fields)).toEqual(fields);
    expect(warnings === '').toBe(fields.temperature === 0);
  });
});

describe('behind the address of another server', () => {
  const options = { temperature: 0, maxTokens: 9 };

  test.each(['openai', 'openai-responses'] as const)('a name of a family has its rules over %s', async (wire) => {
    verifies('providers.models.gateway');
    const { body, warnings } = await sentOver(wire, { model: 'my-gateway/openai/o4-mini', options });
    expect(body).not.toHaveProperty('temperature');
    expect(body).not.toHaveProperty('max_tokens');
    expect(warnings).toBe('temperature is left out: "my-gateway/openai/o4-mini" does not take it');
  });

  test.each(['openai', 'openai-responses'] as const)('a name that says nothing takes all over %s', async (wire) => {
    verifies('providers.models.gateway');
    const asked = { ...options, topP: 0.5, reasoningEffort: 'max' };
    const { body, warnings } = await sentOver(wire, { model: 'team-default', options: asked });
    expect(body).toMatchObject({ temperature: 0, top_p: 0.5 });
    expect(JSON.stringify(body)).toContain('"max"');
    expect(warnings).toBe('');
  });

  test.each(['anthropic', 'gemini'] as const)('a name that says nothing has the newest rules over %s', async (wire) => {
    verifies('providers.models.gateway');
    const asked = { ...options, reasoningEffort: 'none' };
    const { warnings } = await sentOver(wire, { model: 'team-default', options: asked });
    expect(warnings).toContain('reasoningEffort "none" is sent as "low"');
  });
});

const VENDOR_ROWS: readonly (readonly [string, ...Row])[] = [
  ['mistral', 'mistral-small-latest', { reasoningEffort: 'low' }, { reasoning_effort: 'high' }, ['is sent as "high"']],
  ['mistral', 'mistral-small-latest', { reasoningEffort: 'none' }, { reasoning_effort: 'none' }],
  ['mistral', 'codestral-latest', { reasoningEffort: 'low' }, { reasoning_effort: null }, ['is left out']],
  [
    'deepseek',
    'deepseek-v4-flash',
    { reasoningEffort: 'max', temperature: 0 },
    { reasoning_effort: 'max', temperature: 0 },
  ],
  [
    'deepseek',
    'deepseek-v4-flash',
    { reasoningEffort: 'none' },
    { thinking: { type: 'disabled' }, reasoning_effort: null },
  ],
  ['groq', 'qwen/qwen3-32b', { reasoningEffort: 'low' }, { reasoning_effort: 'default' }, ['is sent as']],
  ['groq', 'qwen/qwen3-32b', { reasoningEffort: 'none' }, { reasoning_effort: 'none' }],
  [
    'groq',
    'openai/gpt-oss-20b',
    { reasoningEffort: 'xhigh', temperature: 0 },
    { reasoning_effort: 'high', temperature: 0 },
    ['is sent as "high"'],
  ],
  [
    'groq',
    'llama-3.3-70b-versatile',
    { reasoningEffort: 'low', temperature: 0 },
    { reasoning_effort: null, temperature: 0 },
    ['is left out'],
  ],
  [
    'xai',
    'grok-4',
    { reasoningEffort: 'low', stop: 'x' },
    { reasoning_effort: null, stop: null },
    ['reasoningEffort "low" is', 'stop is'],
  ],
  [
    'xai',
    'grok-3-mini',
    { reasoningEffort: 'medium', temperature: 0 },
    { reasoning_effort: 'low', temperature: 0 },
    ['is sent as "low"'],
  ],
  ['xai', 'grok-4.3', { reasoningEffort: 'none' }, { reasoning_effort: 'none' }],
  ['xai', 'grok-4.20-0309-reasoning', { reasoningEffort: 'none' }, { reasoning_effort: null }],
  ['xai', 'grok-9', { reasoningEffort: 'max' }, { reasoning_effort: 'xhigh' }, ['is sent as "xhigh"']],
  [
    'openrouter',
    'openai/o3',
    { temperature: 0, maxTokens: 9 },
    { temperature: null, max_tokens: 9 },
    ['temperature is'],
  ],
  [
    'openrouter',
    'anthropic/claude-opus-5',
    { temperature: 0, reasoningEffort: 'xhigh' },
    { temperature: 0, reasoning_effort: 'xhigh' },
  ],
  ['llamacpp', 'gpt-5', { temperature: 0, reasoningEffort: 'xhigh' }, { temperature: 0, reasoning_effort: 'xhigh' }],
  ['vllm', 'o3', { temperature: 0, maxTokens: 9 }, { temperature: 0, max_tokens: 9 }],
];

const VENDOR_CASES = VENDOR_ROWS.flatMap(([vendor, ...row]) => casesOf([row]).map((each) => ({ vendor, ...each })));

test.each(VENDOR_CASES)('$vendor: $name', async ({ vendor, model, options, fields, expected }) => {
  verifies('providers.models');
  const { body, warnings } = await sentOver('openai', { model, options }, { name: vendor });
  expect(fieldsOf(body, fields)).toEqual(fields);
  expect(wrongWarnings(warnings, expected)).toEqual([]);
});
