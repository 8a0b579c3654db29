import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD } from '../history.ts';
import { casesOf, fieldsOf, type Row, sentOver, wrongWarnings } from '../sent.ts';

const own = (additionalModelRequestFields: object): Row[2] => ({ additionalModelRequestFields });
const config = (inferenceConfig: object): Row[2] => ({ inferenceConfig });
const adaptive = (effort: string): Row[2] => own({ thinking: { type: 'adaptive' }, output_config: { effort } });
const budget = (tokens: number): Row[2] => own({ thinking: { type: 'enabled', budget_tokens: tokens } });
const nova = (effort: string): Row[2] => own({ reasoningConfig: { type: 'enabled', maxReasoningEffort: effort } });
const TEMPERATURE = { temperature: 0, topP: 0.5 };
const LEFT_OUT = ['temperature is left out', 'topP is left out'];
const NOTHING = { additionalModelRequestFields: null };

const ROWS: readonly Row[] = [
  [
    'anthropic.claude-3-haiku-20240307-v1:0',
    { reasoningEffort: 'low' },
    NOTHING,
    ['reasoningEffort "low" is left out'],
  ],
  [
    'us.anthropic.claude-3-7-sonnet-20250219-v1:0',
    { reasoningEffort: 'low', maxTokens: 9 },
    { ...budget(2048), ...config({ maxTokens: 2057 }) },
    ['maxTokens 9 is sent as 2057: 2048 of them are for thinking'],
  ],
  [
    'anthropic.claude-sonnet-4-5-20250929-v1:0',
    { reasoningEffort: 'medium' },
    { ...budget(8192), ...config({ maxTokens: 12_288 }) },
  ],
  ['eu.anthropic.claude-sonnet-4-20250514-v1:0', TEMPERATURE, config(TEMPERATURE)],
  ['anthropic.claude-sonnet-4-5-20250929-v1:0', TEMPERATURE, config({ temperature: 0 }), ['topP is left out']],
  [
    'global.anthropic.claude-sonnet-4-5-20250929-v1:0',
    { ...TEMPERATURE, reasoningEffort: 'low' },
    budget(2048),
    LEFT_OUT,
  ],
  ['us.anthropic.claude-opus-4-6-v1', { reasoningEffort: 'xhigh' }, adaptive('high'), ['"xhigh" is sent as "high"']],
  ['us.anthropic.claude-opus-4-7', TEMPERATURE, { inferenceConfig: null }, LEFT_OUT],
  [
    'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-7',
    { reasoningEffort: 'max' },
    adaptive('max'),
  ],
  ['us.anthropic.claude-opus-5', { reasoningEffort: 'none' }, own({ thinking: { type: 'disabled' } })],
  [
    'anthropic.claude-opus-9',
    { ...TEMPERATURE, reasoningEffort: 'none' },
    adaptive('low'),
    [...LEFT_OUT, 'is sent as "low"'],
  ],
  [
    'us.anthropic.claude-opus-4-7',
    { additionalModelRequestFields: { output_config: { a: 1 } }, reasoningEffort: 'low' },
    own({ thinking: { type: 'adaptive' }, output_config: { a: 1, effort: 'low' } }),
  ],
  [
    'us.amazon.nova-2-lite-v1:0',
    { ...TEMPERATURE, reasoningEffort: 'low' },
    { ...nova('low'), ...config(TEMPERATURE) },
  ],
  [
    'us.amazon.nova-2-lite-v1:0',
    { reasoningEffort: 'xhigh', maxTokens: 9 },
    { ...nova('high'), inferenceConfig: null },
    ['is sent as "high"', 'maxTokens is left out'],
  ],
  [
    'amazon.nova-pro-v1:0',
    { ...TEMPERATURE, reasoningEffort: 'low' },
    config(TEMPERATURE),
    ['reasoningEffort is left out'],
  ],
  [
    'openai.gpt-oss-120b-1:0',
    { ...TEMPERATURE, reasoningEffort: 'max' },
    { ...own({ reasoning_effort: 'high' }), ...config(TEMPERATURE) },
    ['is sent as "high"'],
  ],
  ['us.openai.gpt-5.6-luna', { ...TEMPERATURE, reasoningEffort: 'max' }, own({ reasoning_effort: 'max' }), LEFT_OUT],
  ['arn:aws:bedrock:us-east-1:1:application-inference-profile/abc', TEMPERATURE, config(TEMPERATURE)],
  ['meta.llama4-maverick-17b-instruct-v1:0', { inferenceConfig: { temperature: 0 }, topP: 0.5 }, config(TEMPERATURE)],
];

test.each(casesOf(ROWS))('$name', async ({ model, options, fields, expected }) => {
  verifies('providers.models');
  const { body, warnings } = await sentOver('bedrock', { model, options });
  expect(fieldsOf(body, fields)).toEqual(fields);
  expect(wrongWarnings(warnings, expected)).toEqual([]);
});

test.each([
  ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', { any: {} }, ''],
  ['us.anthropic.claude-opus-5', { any: {} }, 'thinking is left out'],
  ['us.anthropic.claude-opus-5-5', { auto: {} }, 'toolChoice is left out: the model may think'],
  ['amazon.nova-lite-v1:0', { any: {} }, ''],
  ['meta.llama3-1-70b-instruct-v1:0', { auto: {} }, 'toolChoice is left out'],
  ['mistral.mistral-large-2407-v1:0', { any: {} }, ''],
])('a forced tool choice goes to %s as %j', async (model, toolChoice, warning) => {
  verifies('providers.models');
  const { body, warnings } = await sentOver('bedrock', { model, tools: [ADD], toolChoice: 'required' });
  expect(body['toolConfig']).toMatchObject({ toolChoice });
  expect(wrongWarnings(warnings, warning === '' ? [] : [warning])).toEqual([]);
});

test('a named tool is left out for a model that takes only "any", and thinking gives way to a forced choice', async () => {
  verifies('providers.models');
  const forced = { tools: [ADD], toolChoice: { name: 'add' } };
  const mistral = await sentOver('bedrock', { ...forced, model: 'mistral.mistral-large-2407-v1:0' });
  expect(mistral.body['toolConfig']).toMatchObject({ toolChoice: { auto: {} } });
  expect(mistral.warnings).toContain('toolChoice is left out');
  const model = 'us.anthropic.claude-opus-4-7';
  const claude = await sentOver('bedrock', { ...forced, model, options: { reasoningEffort: 'high' } });
  expect(claude.body['toolConfig']).toMatchObject({ toolChoice: { tool: { name: 'add' } } });
  expect(claude.body).not.toHaveProperty('additionalModelRequestFields');
  expect(claude.warnings).toContain('reasoningEffort is left out');
});
