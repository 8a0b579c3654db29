import type { Message } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { repairHistory } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

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
    'a message with calls that is there twice in a row counts once, and keeps its result',
    [user('Go'), calls('1'), calls('1'), result('1', 'kept'), text('ok')],
    [user('Go'), calls('1'), result('1', 'kept'), text('ok')],
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
    'a result under another name gets the name of its call',
    [calls('1'), { ...result('1'), name: 'b' }, text('ok')],
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

test('two messages of the model in a row become one', () => {
  verifies('agent.loop.history.repair');
  expect(repairHistory([user('Go'), text('a'), text('b'), user('And?')])).toEqual([
    user('Go'),
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    },
    user('And?'),
  ]);
});

test('opaque data stays with the vendor that made it, and only with it', () => {
  const of = (vendor: string): Message => ({
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'hm', providerData: { signature: vendor } },
      { type: 'opaque', kind: 'search', providerData: { id: `by ${vendor}` } },
      { type: 'text', text: 'ok' },
    ],
    provider: { vendor, model: 'm' },
  });
  const stored = [user('Go'), of('a'), user('And?'), of('b')];
  const repaired = repairHistory(stored, { vendor: 'a' });
  expect(repaired[1]).toBe(stored[1]);
  expect(JSON.stringify(repaired)).not.toMatch(/"signature":"b"|by b/);
  const merged = repairHistory([user('Go'), of('a'), of('b')]);
  expect(JSON.stringify(merged)).toMatch(/by b/);
  expect(JSON.stringify(merged)).not.toMatch(/"signature":"a"|by a/);
  expect(repairHistory(stored)).toBe(stored);
});

test('a history damaged at random is sound after repair, and repairing it again changes nothing', () => {
  verifies('agent.loop.history.repair');
  let state = 7;
  const next = (below: number): number => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return state % below;
  };
  for (let round = 0; round < 2000; round += 1) {
    const sound = [
      user('Go'),
      calls('1', '2'),
      result('1'),
      result('2'),
      text('ok'),
      user('And?'),
      calls('3'),
      result('3'),
      text('done'),
    ];
    const damaged = [...sound];
    for (let damage = 0; damage <= next(4); damage += 1) {
      const at = next(damaged.length);
      const kind = next(5);
      if (kind === 0) damaged.splice(at, 1);
      if (kind === 1) damaged.splice(at, 0, damaged[next(damaged.length)] as Message);
      if (kind === 2) damaged.splice(at, 0, result(`${next(5)}`));
      if (kind === 3) damaged[at] = calls('', `${next(5)}`);
      if (kind === 4) damaged.reverse();
    }
    const repaired = repairHistory(damaged);
    expect(repairHistory(repaired)).toBe(repaired);
    expectSound(repairHistory([...repaired, user('Next')]));
  }
});
