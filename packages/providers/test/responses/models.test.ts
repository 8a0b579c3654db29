import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { resolveResponses } from '../../src/responses/config.ts';
import { createResponsesEncoder } from '../../src/responses/encode.ts';
import { ADD } from '../history.ts';
import { casesOf, fieldsOf, type Row, sentOver, wrongWarnings } from '../sent.ts';

const ENCRYPTED = ['reasoning.encrypted_content'];
const TEMPERATURE = { temperature: 0, topP: 0.5 };
const LEFT_OUT = ['temperature is left out', 'topP is left out'];
const NONE = { temperature: null, top_p: null };
const KEPT = { temperature: 0, top_p: 0.5 };

const ROWS: readonly Row[] = [
  ['gpt-4o', TEMPERATURE, { ...KEPT, include: null }],
  ['gpt-4o', { reasoningEffort: 'low' }, { reasoning: null, include: null }, ['reasoningEffort "low" is left out']],
  ['o3', TEMPERATURE, { ...NONE, include: ENCRYPTED }, LEFT_OUT],
  ['o4-mini', { parallelToolCalls: false }, { parallel_tool_calls: null }, ['parallelToolCalls is left out']],
  ['gpt-5-mini', { parallelToolCalls: false }, { parallel_tool_calls: false }],
  ['gpt-5', { reasoningEffort: 'none' }, { reasoning: { effort: 'minimal' } }, ['"none" is sent as "minimal"']],
  ['gpt-5.1', { ...TEMPERATURE, reasoningEffort: 'none' }, { ...KEPT, reasoning: { effort: 'none' } }],
  ['gpt-5.2', { ...TEMPERATURE, reasoningEffort: 'xhigh' }, { ...NONE, reasoning: { effort: 'xhigh' } }, LEFT_OUT],
  [
    'gpt-5.2',
    { reasoning: { summary: 'auto' }, reasoningEffort: 'low' },
    { reasoning: { summary: 'auto', effort: 'low' } },
  ],
  ['gpt-5.4', { reasoningEffort: 'high' }, { reasoning: { effort: 'high' } }],
  ['gpt-5.6', { reasoningEffort: 'max' }, { reasoning: { effort: 'max' } }],
  ['gpt-6.1-sol', { reasoningEffort: 'max' }, { reasoning: { effort: 'max' } }],
  ['gpt-6.1-sol', { reasoningEffort: 'none' }, { reasoning: { effort: 'low' } }, ['"none" is sent as "low"']],
  ['openai/gpt-9', { ...TEMPERATURE }, { ...NONE, include: ENCRYPTED }, LEFT_OUT],
  ['gpt-5', { stop: 'x', top_logprobs: 3 }, { top_logprobs: null }, ['stop is left out', 'top_logprobs is left out']],
  ['grok-4', { ...TEMPERATURE, reasoningEffort: 'extreme' }, { ...KEPT, reasoning: { effort: 'extreme' } }],
];

test.each(casesOf(ROWS))('$name', async ({ model, options, fields, expected }) => {
  verifies('providers.models');
  const { body, warnings } = await sentOver('openai-responses', { model, options, tools: [ADD] });
  expect(fieldsOf(body, fields)).toEqual(fields);
  expect(wrongWarnings(warnings, expected)).toEqual([]);
  expect(warnings.match(/stop is left out/g)?.length ?? 0).toBeLessThan(2);
});

test('a schema for the reply goes into the instructions of a model that takes none', async () => {
  verifies('providers.models');
  const responseFormat = { name: 'n', schema: { type: 'object' } };
  const { body, warnings } = await sentOver('openai-responses', { model: 'gpt-4-turbo', responseFormat });
  expect(body).not.toHaveProperty('text');
  expect(JSON.stringify(body['input'])).toContain('JSON Schema');
  expect(warnings).toContain('does not accept a schema');
});

test('at OpenAI a name that is not known gets the newest rules', () => {
  verifies('providers.models');
  const encode = createResponsesEncoder(resolveResponses({ name: 'openai-responses', token: 'abcd' }));
  const messages = [{ role: 'user', content: 'Hi' }] as const;
  const { body, warnings } = encode({ model: 'a-model-of-tomorrow', messages, options: { temperature: 0 } });
  expect(JSON.parse(String(body))).not.toHaveProperty('temperature');
  expect(warnings).toEqual([{ message: 'temperature is left out: "a-model-of-tomorrow" does not take it' }]);
});
