import { type AssistantMessage, type MessageEnd, type ProviderEvent, toolCallsOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createReplyCallIds } from '../../src/history/reply-call-ids.ts';

const delta = (index: number, id?: string, text = ''): ProviderEvent => ({
  type: 'tool-call-delta',
  index,
  ...(id === undefined ? {} : { id, name: 'look' }),
  arguments: text,
});
const endOf = (...ids: string[]): MessageEnd => {
  const content = ids.map((id) => ({ type: 'tool-call', id, name: 'look', arguments: '{}' }) as const);
  return { type: 'message-end', message: { role: 'assistant', content }, finishReason: 'tool-calls' };
};
const WITHDRAWN: ProviderEvent = { type: 'reply-withdrawn', code: 'PROVIDER_NETWORK', message: 'broke off' };
const idsOf = (message: AssistantMessage): string[] => toolCallsOf(message).map(({ id }) => id);

test.each([
  ['ids that nobody has used stay', [], [delta(0, 'a'), delta(1, 'b')], ['a', 'b'], ['a', 'b'], ['a', 'b']],
  ['an id of the history is replaced', ['call_0'], [delta(0, 'call_0')], ['call_0'], ['call_2'], ['call_2']],
  [
    'of two equal ids the first stays',
    [],
    [delta(0, 'c'), delta(1, 'c')],
    ['c', 'c'],
    ['c', 'call_1'],
    ['c', 'call_1'],
  ],
  [
    'a repeated second delta has the same id',
    ['c'],
    [delta(0, 'c'), delta(0, 'c')],
    ['c'],
    ['call_2', 'call_2'],
    ['call_2'],
  ],
  [
    'a call that a wire named anew at its end',
    [],
    [delta(0, 'c'), delta(1, 'c')],
    ['c', 'x'],
    ['c', 'call_1'],
    ['c', 'call_1'],
  ],
  [
    'a call without an id in its deltas',
    ['c'],
    [delta(0), delta(1, 'd')],
    ['c', 'd'],
    [undefined, 'd'],
    ['call_2', 'd'],
  ],
  ['an empty id is not yet one', [], [delta(0, '')], [''], [undefined], ['call_1']],
  [
    'a made id is taken for later calls',
    ['c'],
    [delta(0, 'c'), delta(1, 'call_2')],
    ['c', 'call_2'],
    ['call_2', 'call_3'],
    ['call_2', 'call_3'],
  ],
  ['a call without deltas whose id a delta has', [], [delta(1, 'c')], ['x', 'c', 'c'], ['c'], ['x', 'c', 'call_1']],
  ['a withdrawn call keeps its id', [], [delta(0, 'c'), WITHDRAWN, delta(0, 'c')], ['c'], ['c', 'call_1'], ['call_1']],
  ['a withdrawn id of a message without deltas', [], [delta(0, 'c'), WITHDRAWN], ['c'], ['c'], ['call_2']],
] as [string, string[], ProviderEvent[], string[], (string | undefined)[], string[]][])(
  '%s, in the deltas as in the message',
  (_name, used, events, given, inDeltas, inMessage) => {
    verifies('agent.loop.message.ids');
    const ids = createReplyCallIds(new Set(used));
    const seen = events.map((event) => ids.rename(event));
    expect(seen.flatMap((event) => (event.type === 'tool-call-delta' ? [event.id] : []))).toEqual(inDeltas);
    expect(idsOf(ids.finish(endOf(...given)).message)).toEqual(inMessage);
  },
);

test('a call that was dropped has the id of its deltas', () => {
  const ids = createReplyCallIds(new Set(['c', 'd']));
  for (const event of [delta(0, 'c'), delta(1, 'd')]) ids.rename(event);
  const droppedCalls = ['d', 'e'].map((id) => ({ id, name: 'look', arguments: '{', reason: 'other' }) as const);
  const { message, droppedCalls: dropped } = ids.finish({ ...endOf('c'), droppedCalls });
  expect(idsOf(message)).toEqual(['call_3']);
  expect(dropped?.map(({ id }) => id)).toEqual(['call_4', 'e']);
});

test('nothing is copied where no id changes', () => {
  const ids = createReplyCallIds(new Set(['a']));
  const events = [delta(0, 'b'), delta(0, undefined, '{}')];
  for (const event of events) expect(ids.rename(event)).toBe(event);
  const end = endOf('b');
  expect(ids.finish(end).message).toBe(end.message);
  expect(createReplyCallIds(new Set()).finish(end)).toBe(end);
});
