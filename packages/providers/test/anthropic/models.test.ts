import type { ProviderRequest } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { ADD } from '../history.ts';
import { type Sent, sentOver } from '../sent.ts';

const sent = (more: Partial<ProviderRequest>): Promise<Sent> => sentOver('anthropic', more);

const budget = { thinking: { type: 'enabled', budget_tokens: 24_576 } };
const adaptive = { thinking: { type: 'adaptive' }, output_config: { effort: 'high' } };

describe('reasoningEffort is sent as the model takes it', () => {
  test.each([
    ['claude-3-7-sonnet-20250219', budget],
    ['claude-sonnet-4-20250514', budget],
    ['claude-opus-4-1-20250805', budget],
    ['claude-sonnet-4-5', budget],
    ['claude-haiku-4-5-20251001', budget],
    ['claude-opus-4-6', adaptive],
    ['claude-sonnet-4-6', adaptive],
    ['claude-opus-4-7', adaptive],
    ['claude-opus-4-8', adaptive],
    ['claude-opus-5', adaptive],
    ['claude-opus-5-5', adaptive],
    ['claude-opus-7-2-20290101', adaptive],
    ['a-model-of-tomorrow', adaptive],
    ['anthropic/claude-3.7-sonnet', budget],
    ['anthropic/claude-4.5-sonnet', budget],
    ['anthropic/claude-opus-4.6', adaptive],
    ['claude-sonnet-4@20250514', budget],
    ['kimi-k2-thinking', budget],
    ['zai-org/glm-4.7', budget],
  ])('%s', async (model, fields) => {
    verifies('providers.models');
    const { body, warnings } = await sent({ model, options: { reasoningEffort: 'high', maxTokens: 100 } });
    expect(body).toMatchObject({ ...fields, max_tokens: 100 + 24_576 });
    expect(warnings).toBe(
      'maxTokens 100 is sent as 24676: 24576 of them are for thinking, which counts within the limit',
    );
  });

  test.each([
    ['claude-3-haiku-20240307', 'high'],
    ['claude-opus-5', 'extreme'],
  ])('%s does not take "%s": it is left out, with a warning', async (model, reasoningEffort) => {
    verifies('providers.models');
    const { body, warnings } = await sent({ model, options: { reasoningEffort } });
    expect(body).not.toHaveProperty('thinking');
    expect(body).not.toHaveProperty('output_config');
    expect(warnings).toContain(`reasoningEffort "${reasoningEffort}" is left out`);
  });

  test.each([
    ['claude-sonnet-4-5', 'xhigh', 'high', { thinking: { budget_tokens: 24_576 } }],
    ['claude-sonnet-4-6', 'max', 'high', { output_config: { effort: 'high' } }],
    ['claude-opus-4-6', 'xhigh', 'high', { output_config: { effort: 'high' } }],
    ['claude-opus-4-7', 'minimal', 'low', { output_config: { effort: 'low' } }],
    ['claude-opus-5-5', 'none', 'low', { output_config: { effort: 'low' } }],
  ])('%s does not take "%s": the nearest, "%s", is sent, with a warning', async (model, asked, nearest, fields) => {
    verifies('providers.models');
    const { body, warnings } = await sent({ model, options: { reasoningEffort: asked } });
    expect(body).toMatchObject(fields);
    expect(warnings).toContain(`reasoningEffort "${asked}" is sent as "${nearest}"`);
  });

  test('xhigh goes to the models that have it, and none turns thinking off where it is on by default', async () => {
    verifies('providers.models');
    const model = 'claude-opus-4-7';
    expect((await sent({ model, options: { reasoningEffort: 'xhigh' } })).body['output_config']).toEqual({
      effort: 'xhigh',
    });
    const none = await sent({ model, options: { reasoningEffort: 'none' } });
    expect(none.body).not.toHaveProperty('thinking');
    expect(none.warnings).toBe('');
    const off = await sent({ model: 'claude-opus-5', options: { reasoningEffort: 'none' } });
    expect(off.body['thinking']).toEqual({ type: 'disabled' });
    expect(off.warnings).toBe('');
  });

  test('an effort and a response format share one field', async () => {
    verifies('providers.models');
    const responseFormat = { name: 'n', schema: { type: 'object' } };
    const { body } = await sent({ model: 'claude-opus-5', options: { reasoningEffort: 'low' }, responseFormat });
    expect(body['output_config']).toMatchObject({ effort: 'low', format: { type: 'json_schema' } });
  });
});

describe('sampling', () => {
  const options = { temperature: 0, topP: 0.5, top_k: 3 };

  test.each([
    'claude-3-haiku-20240307',
    'claude-sonnet-4-20250514',
    'kimi-k2-0905-preview',
    'glm-4.7',
    'MiniMax-M2',
    'deepseek-v4-flash',
    'openai/gpt-5.2',
  ])('%s takes it', async (model) => {
    verifies('providers.models');
    const { body, warnings } = await sent({ model, options });
    expect(body).toMatchObject({ temperature: 0, top_p: 0.5, top_k: 3 });
    expect(warnings).toBe('');
  });

  test.each(['claude-opus-4-1-20250805', 'claude-sonnet-4-5', 'anthropic/claude-opus-4.6'])(
    '%s takes temperature or topP, not both',
    async (model) => {
      verifies('providers.models');
      const { body, warnings } = await sent({ model, options });
      expect(body).toMatchObject({ temperature: 0, top_k: 3 });
      expect(body).not.toHaveProperty('top_p');
      expect(warnings).toBe('topP is left out: the model takes temperature or topP, not both');
      expect((await sent({ model, options: { topP: 0.5 } })).body['top_p']).toBe(0.5);
    },
  );

  test.each([
    ['claude-opus-4-7', options],
    ['claude-sonnet-5', options],
    ['a-model-of-tomorrow', options],
    ['claude-sonnet-4-5', { ...options, reasoningEffort: 'low' }],
  ])('%s does not take it with these options: it is left out, with a warning for each', async (model, given) => {
    verifies('providers.models');
    const { body, warnings } = await sent({ model, options: given });
    for (const field of ['temperature', 'top_p', 'top_k']) expect(body).not.toHaveProperty(field);
    for (const name of ['temperature', 'topP', 'top_k']) expect(warnings).toContain(`${name} is left out`);
  });
});

test.each([
  ['claude-3-7-sonnet-20250219', false],
  ['claude-sonnet-4-20250514', false],
  ['claude-opus-4-1', true],
  ['claude-haiku-4-5', true],
])('%s takes a schema for its reply: %s', async (model, takes) => {
  verifies('providers.models');
  const { body, warnings } = await sent({ model, responseFormat: { name: 'n', schema: { type: 'object' } } });
  expect('output_config' in body).toBe(takes);
  expect(JSON.stringify(body['system'] ?? '').includes('JSON Schema')).toBe(!takes);
  expect(warnings.includes('does not accept a schema')).toBe(!takes);
});

describe('a forced tool choice', () => {
  const forced = { tools: [ADD], toolChoice: 'required' as const };

  test('is sent instead of an effort where a model takes only one of them', async () => {
    verifies('providers.models');
    const { body, warnings } = await sent({
      ...forced,
      model: 'claude-sonnet-4-5',
      options: { reasoningEffort: 'low' },
    });
    expect(body['tool_choice']).toEqual({ type: 'any' });
    expect(body).not.toHaveProperty('thinking');
    expect(warnings).toContain('reasoningEffort is left out');
  });

  test.each(['claude-opus-5', 'claude-sonnet-5'])('turns off the thinking that %s does by default', async (model) => {
    verifies('providers.models');
    const { body, warnings } = await sent({ ...forced, model });
    expect(body).toMatchObject({ thinking: { type: 'disabled' }, tool_choice: { type: 'any' } });
    expect(warnings).toBe('thinking is left out: this API refuses thinking together with a forced tool choice');
    const off = await sent({ ...forced, model, options: { reasoningEffort: 'none' } });
    expect(off.warnings).toBe('');
  });

  test.each(['kimi-k2-thinking', 'glm-4.7', 'MiniMax-M2'])('is sent to %s, of another vendor', async (model) => {
    verifies('providers.models');
    const { body, warnings } = await sent({ ...forced, model });
    expect(body['tool_choice']).toEqual({ type: 'any' });
    expect(warnings).toBe('');
  });

  test.each(['claude-opus-5-5', 'claude-fable-5-1', 'a-model-of-tomorrow'])(
    'is left out for %s, which may think at any time',
    async (model) => {
      verifies('providers.models');
      const { body, warnings } = await sent({ ...forced, model, toolChoice: { name: 'add' } });
      expect(body['tool_choice']).toEqual({ type: 'auto' });
      expect(warnings).toContain('toolChoice is left out');
    },
  );

  test('is left out where the request turns thinking on with the fields of the vendor', async () => {
    verifies('providers.models');
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const { body, warnings } = await sent({ ...forced, model: 'claude-sonnet-4-5', options: { thinking } });
    expect(body).toMatchObject({ thinking, tool_choice: { type: 'auto' } });
    expect(warnings).toContain('toolChoice is left out');
  });
});
