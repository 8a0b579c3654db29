import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { ADD } from '../history.ts';
import { casesOf, fieldsOf, type Row, sentOver, wrongWarnings } from '../sent.ts';

const budget = (thinkingBudget: number): Row[2] => ({
  thinkingConfig: { includeThoughts: thinkingBudget > 0, thinkingBudget },
});
const level = (thinkingLevel: string): Row[2] => ({ thinkingConfig: { includeThoughts: true, thinkingLevel } });
const TEMPERATURE = { temperature: 0, topP: 0.5 };
const LEFT_OUT = ['temperature is left out', 'topP is left out'];

/** The fields are those of `generationConfig`. */
const ROWS: readonly Row[] = [
  ['gemini-2.0-flash', { reasoningEffort: 'low' }, { thinkingConfig: null }, ['reasoningEffort "low" is left out']],
  ['gemma-3-27b-it', { reasoningEffort: 'low' }, { thinkingConfig: null }, ['reasoningEffort "low" is left out']],
  ['gemini-2.5-flash', { reasoningEffort: 'none' }, budget(0)],
  ['gemini-2.5-flash-lite', { reasoningEffort: 'minimal' }, budget(512)],
  ['models/gemini-2.5-flash-preview-09-2025', { reasoningEffort: 'high' }, budget(24_576)],
  ['gemini-2.5-flash', { reasoningEffort: 'xhigh' }, budget(24_576), ['"xhigh" is sent as "high"']],
  ['gemini-2.5-pro', { reasoningEffort: 'none' }, budget(128), ['"none" is sent as "minimal"']],
  ['google/gemini-2.5-pro', { reasoningEffort: 'xhigh' }, budget(32_768)],
  ['gemini-2.5-flash-image', { reasoningEffort: 'high' }, { thinkingConfig: null }, ['is left out']],
  ['gemini-3-pro-preview', { reasoningEffort: 'medium' }, level('low'), ['"medium" is sent as "low"']],
  ['gemini-3.1-pro-preview', { reasoningEffort: 'medium' }, level('medium')],
  ['gemini-3.1-pro-preview', { reasoningEffort: 'minimal' }, level('low'), ['"minimal" is sent as "low"']],
  ['gemini-3-flash-preview', { reasoningEffort: 'minimal' }, level('minimal')],
  ['gemini-3-flash-preview', { reasoningEffort: 'none' }, level('minimal'), ['"none" is sent as "minimal"']],
  ['gemini-3.8-flash', { reasoningEffort: 'minimal' }, level('low'), ['"minimal" is sent as "low"']],
  ['gemini-flash-latest', { reasoningEffort: 'max' }, level('high'), ['"max" is sent as "high"']],
  ['gemini-5-ultra', { reasoningEffort: 'none' }, level('low'), ['"none" is sent as "low"']],
  ['a-model-of-tomorrow', { reasoningEffort: 'none' }, level('low'), ['"none" is sent as "low"']],
  ['gemini-2.5-pro', TEMPERATURE, TEMPERATURE],
  ['gemini-3-flash-preview', TEMPERATURE, TEMPERATURE],
  ['gemini-3.6-flash', TEMPERATURE, { temperature: null, topP: null }, LEFT_OUT],
  ['gemini-5-ultra', TEMPERATURE, { temperature: null, topP: null }, LEFT_OUT],
  [
    'gemini-3.8-flash',
    { generationConfig: { temperature: 0, topK: 3, presencePenalty: 1, responseModalities: ['TEXT'] } },
    { temperature: null, topK: null, presencePenalty: null, responseModalities: ['TEXT'] },
    ['temperature is left out', 'topK is left out', 'presencePenalty is left out'],
  ],
  [
    'gemini-2.5-flash',
    { generationConfig: { temperature: 0.5, maxOutputTokens: 7, thinkingConfig: { thinkingBudget: 99 } }, topP: 0.1 },
    { temperature: 0.5, maxOutputTokens: 7, thinkingConfig: { thinkingBudget: 99 }, topP: 0.1 },
  ],
];

test.each(casesOf(ROWS))('$name', async ({ model, options, fields, expected }) => {
  verifies('providers.models');
  const { body, warnings } = await sentOver('gemini', { model, options, tools: [ADD], toolChoice: 'required' });
  expect(fieldsOf((body['generationConfig'] ?? {}) as typeof body, fields)).toEqual(fields);
  expect(body['toolConfig']).toEqual({ functionCallingConfig: { mode: 'ANY' } });
  expect(wrongWarnings(warnings, expected)).toEqual([]);
});
