import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { repairHistory } from '../src/index.ts';
import { expectSound, user } from './support.ts';

const calls = (...ids: string[]): Message => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', id, name: 'a', arguments: '{}' })),
});
const result = (toolCallId: string, content = 'x'): Message => ({ role: 'tool', toolCallId, name: 'a', content });
const text = (content: string): Message => ({ role: 'assistant', content: [{ type: 'text', text: content }] });

test('a sound history comes back as the same array', () => {
  verifies('agent.loop.history.repair');
  const sound = [user('Go'), calls('1', '2'), result('1'), result('2'), text('ok')];
  expect(repairHistory(sound)).toBe(sound);
});

test.each([
  ['an orphan result is dropped', [user('Go'), result('9'), text('ok')], [user('Go'), text('ok')]],
  [
    'a second result is dropped',
    [calls('1'), result('1', 'first'), result('1', 'second'), text('ok')],
    [calls('1'), result('1', 'first'), text('ok')],
  ],
  [
    'a call without an id is dropped',
    [user('Go'), calls('', '1'), result('1'), text('ok')],
    [user('Go'), calls('1'), result('1'), text('ok')],
  ],
  [
    'results out of order are put in call order',
    [calls('1', '2'), result('2'), result('1'), text('ok')],
    [calls('1', '2'), result('1'), result('2'), text('ok')],
  ],
  [
    'a second call under a used id goes with its result',
    [calls('1'), result('1'), calls('1'), result('1'), text('ok')],
    [calls('1'), result('1'), text('ok')],
  ],
  [
    'calls at the end stay open',
    [user('Go'), calls('1', '2'), result('1')],
    [user('Go'), calls('1', '2'), result('1')],
  ],
] as [string, Message[], Message[]][])('%s', (_name, damaged, repaired) => {
  verifies('agent.loop.history.repair');
  expect(repairHistory(damaged)).toEqual(repaired);
});

test('a missing result in the middle says that the outcome is unknown', () => {
  verifies('agent.loop.history.repair');
  const repaired = repairHistory([user('Go'), calls('1', '2'), result('2'), user('And?')]);
  expectSound(repaired);
  expect(repaired[2]).toMatchObject({
    role: 'tool',
    toolCallId: '1',
    isError: true,
    content: expect.stringContaining('OUTCOME_UNKNOWN'),
  });
});
