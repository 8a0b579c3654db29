import { expect, test } from 'vitest';
import { addUsage, dropsCalls, type FinishReason, textOf, toolCallsOf } from '../src/index.ts';
import { finishReasonSchema } from '../src/schemas/index.ts';

const call = { type: 'tool-call', id: '1', name: 'a', arguments: '{}' } as const;

test('the text of a message is its text parts, without reasoning, media, calls and opaque parts', () => {
  expect(textOf({ role: 'user', content: 'plain' })).toBe('plain');
  expect(
    textOf({
      role: 'assistant',
      content: [{ type: 'reasoning', text: 'hm' }, { type: 'text', text: 'a' }, call, { type: 'text', text: 'b' }],
    }),
  ).toBe('ab');
  const opaque = { type: 'opaque', kind: 'search', providerData: { type: 'text', text: 'c' } } as const;
  expect(textOf({ role: 'assistant', content: [opaque, { type: 'text', text: 'a' }] })).toBe('a');
  expect(textOf({ role: 'user', content: [{ type: 'image', mimeType: 'image/png', url: 'u' }] })).toBe('');
});

test('only an assistant message has calls, in order', () => {
  expect(toolCallsOf({ role: 'assistant', content: [call, { ...call, id: '2' }] }).map(({ id }) => id)).toEqual([
    '1',
    '2',
  ]);
  expect(toolCallsOf({ role: 'tool', toolCallId: '1', name: 'a', content: '' })).toEqual([]);
});

test('an optional count of a usage is set as soon as one side has it', () => {
  expect(addUsage({ inputTokens: 1, outputTokens: 2 }, { inputTokens: 3, outputTokens: 4 })).toEqual({
    inputTokens: 4,
    outputTokens: 6,
  });
  expect(
    addUsage(
      { inputTokens: 1, outputTokens: 2, reasoningTokens: 0 },
      { inputTokens: 3, outputTokens: 4, cachedInputTokens: 5 },
    ),
  ).toEqual({
    inputTokens: 4,
    outputTokens: 6,
    cachedInputTokens: 5,
    reasoningTokens: 0,
  });
});

test('only a reply that was cut, filtered or refused drops its calls, whatever reason a provider of one’s own gives', () => {
  const reasons = [...finishReasonSchema.options, 'constructor' as FinishReason];
  expect(reasons.filter((reason) => dropsCalls(reason))).toEqual(['length', 'content-filter', 'refusal']);
});
