import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { casesOf, fieldsOf, type Row, sentOver, wrongWarnings } from '../sent.ts';

const ROWS: readonly Row[] = [
  ['gpt-oss:20b', { reasoningEffort: 'high' }, { think: 'high' }],
  ['gpt-oss:20b', { reasoningEffort: 'none' }, { think: 'low' }, ['"none" is sent as "low"']],
  ['gpt-oss:20b', { reasoningEffort: 'xhigh' }, { think: 'high' }, ['"xhigh" is sent as "high"']],
  ['qwen3:8b', { reasoningEffort: 'none' }, { think: false }],
  ['qwen3:8b', { reasoningEffort: 'high' }, { think: true }, ['"high" is sent as true: "qwen3:8b" thinks or not']],
  ['deepseek-r1', { reasoningEffort: 'low' }, { think: true }, ['is sent as true']],
  ['llama3.2:3b', { reasoningEffort: 'high' }, { think: null }, ['reasoningEffort "high" is left out']],
  ['llama3.2:3b', { reasoningEffort: 'none' }, { think: null }],
  ['hf.co/bartowski/qwen2.5', { reasoningEffort: 'low' }, { think: null }, ['reasoningEffort "low" is left out']],
  ['gemma3', { reasoningEffort: 'low' }, { think: null }, ['reasoningEffort "low" is left out']],
  ['a-model-of-tomorrow', { reasoningEffort: 'none' }, { think: false }],
  ['a-model-of-tomorrow', { reasoningEffort: 'minimal' }, { think: 'low' }, ['"minimal" is sent as "low"']],
  ['a-model-of-tomorrow', { temperature: 0, topP: 0.5 }, { think: null, options: { temperature: 0, top_p: 0.5 } }],
  [
    'a-model-of-tomorrow',
    { options: { temperature: 0, num_ctx: 9 }, seed: 1 },
    { options: { temperature: 0, num_ctx: 9, seed: 1 } },
  ],
];

test.each(casesOf(ROWS))('$name', async ({ model, options, fields, expected }) => {
  verifies('providers.models');
  const { body, warnings } = await sentOver('ollama', { model, options });
  expect(fieldsOf(body, fields)).toEqual(fields);
  expect(wrongWarnings(warnings, expected)).toEqual([]);
});
