import type { AssistantMessage } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { withUniqueCallIds } from '../../src/history/call-ids.ts';

const reply = (...ids: string[]): AssistantMessage => ({
  role: 'assistant',
  content: [
    { type: 'text', text: 'Hm' },
    ...ids.map((id) => ({ type: 'tool-call', id, name: 'a', arguments: '{}' }) as const),
  ],
});
const idsOf = ({ content }: AssistantMessage): string[] =>
  content.flatMap((part) => (part.type === 'tool-call' ? [part.id] : []));

test('a message whose ids are unique comes back as the same object', () => {
  for (const message of [reply(), reply('1', '2')]) expect(withUniqueCallIds(message, new Set(['3']))).toBe(message);
});

test.each([
  ['an empty id is replaced', ['', 'b'], [], ['call_1', 'b']],
  ['an id that the history has used is replaced', ['a', 'b'], ['a'], ['call_2', 'b']],
  ['of two equal ids the first is kept', ['a', 'a'], [], ['a', 'call_1']],
  ['a made id is unlike a later one of the same reply', ['', 'call_1'], [], ['call_2', 'call_1']],
  ['a made id is unlike all of the history', ['', ''], ['call_3', 'call_5'], ['call_4', 'call_6']],
] as [string, string[], string[], string[]][])('%s', (_name, ids, used, expected) => {
  verifies('agent.loop.message.assistant');
  const message = withUniqueCallIds(reply(...ids), new Set(used));
  expect(idsOf(message)).toEqual(expected);
  expect(message.content[0]).toEqual({ type: 'text', text: 'Hm' });
});
