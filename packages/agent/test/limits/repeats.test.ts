import type { ToolCall } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { createLoopGuard, type LoopGuard } from '../../src/limits/loop-guard.ts';

let ids = 0;
const callOf = (name: string, text = '{}'): ToolCall => {
  ids += 1;
  return { type: 'tool-call', id: `c${ids}`, name, arguments: text };
};

/** Records one turn of one call for each name; returns the notes, without the ids. */
function turn(guard: LoopGuard, names: readonly string[], result = 'same'): readonly string[] {
  return [...guard.record(names.map((name) => [callOf(name), { forLLM: result }] as const)).values()];
}

const times = (count: number): readonly number[] => Array.from({ length: count }, (_, at) => at + 1);

describe('without options', () => {
  test('the third repeat is noted, the sixth call refused, and the sixth repeat a loop', () => {
    verifies('agent.loop.repeat', 'agent.loop.repeat.refuse', 'agent.loop.repeat.stop');
    const guard = createLoopGuard();
    expect(guard.isLooping()).toBe(false);
    const seen = times(5).map((count) => ({
      count,
      refused: guard.refusal(callOf('a')) !== undefined,
      notes: turn(guard, ['a']),
      isLooping: guard.isLooping(),
    }));
    const note = (count: number): string =>
      `Note: the same calls have given the same results ${count} times. Try something else, or answer.`;
    expect(seen).toEqual([
      { count: 1, refused: false, notes: [], isLooping: false },
      { count: 2, refused: false, notes: [], isLooping: false },
      { count: 3, refused: false, notes: [note(3)], isLooping: false },
      { count: 4, refused: false, notes: [note(4)], isLooping: false },
      { count: 5, refused: false, notes: [note(5)], isLooping: false },
    ]);
    const call = callOf('a');
    expect(guard.refusal(call)).toMatchObject({
      isError: true,
      code: 'TOOL_SKIPPED',
      outcome: 'skipped',
      forLLM: expect.stringContaining('it gave the same result 5 times'),
    });
    // The refusal itself counts as the same result, and is not noted once more.
    expect([...guard.record([[call, { forLLM: 'refused' }]])]).toEqual([]);
    expect(guard.isLooping()).toBe(true);
  });

  test.each([1, 2, 3])('a cycle of %d calls is found', (length) => {
    verifies('agent.loop.repeat.stop');
    const guard = createLoopGuard();
    const cycle = ['a', 'b', 'c'].slice(0, length);
    for (const count of times(6)) {
      expect([count, guard.isLooping()]).toEqual([count, false]);
      for (const name of cycle) turn(guard, [name]);
    }
    expect(guard.isLooping()).toBe(true);
  });

  test('a cycle of nine calls is not', () => {
    const guard = createLoopGuard();
    for (const _ of times(12)) for (const name of 'abcdefghi') expect(turn(guard, [name])).toEqual([]);
    expect(guard.isLooping()).toBe(false);
    expect(guard.refusal(callOf('a'))).toBeUndefined();
  });
});

describe('the spelling of a call', () => {
  test.each<readonly [string, (count: number) => string]>([
    ['a key that is there twice, each time with another first value', (count) => `{"path":"${count}","path":"a"}`],
    ['a deep key that is there more often each time', (count) => `{"o":{${'"k":1,'.repeat(count)}"k":2}}`],
    ['an ignored key that is there twice', (count) => `{"nonce":${count},"path":"a","nonce":"${count}"}`],
    ['more white space each time, or none', (count) => ' '.repeat(count % 3)],
    ['no arguments, or an empty object, in no order', (count) => ([2, 3, 5].includes(count) ? '{}' : '')],
  ])('%s does not make it another call', (_name, textOf) => {
    verifies('agent.loop.repeat.input', 'agent.loop.repeat.refuse', 'agent.loop.repeat.stop');
    const guard = createLoopGuard({ ignore: ['nonce'] });
    for (const count of times(6)) {
      const call = callOf('a', textOf(count));
      expect([count, guard.refusal(call) !== undefined]).toEqual([count, count > 5]);
      guard.record([[call, { forLLM: 'same' }]]);
    }
    expect(guard.isLooping()).toBe(true);
  });

  test.each([
    ['a number that JSON would round', '{"id":9007199254740993}', '{"id":9007199254740992}'],
    ['a number beyond all bounds', '{"id":1e400}', '{"id":null}'],
  ])('%s is refused by a tool, and no repeat of the number that it would become', (_name, one, other) => {
    const guard = createLoopGuard({ refuse: 1 });
    guard.record([[callOf('a', one), { forLLM: 'ok' }]]);
    expect(guard.refusal(callOf('a', other))).toBeUndefined();
    expect(guard.refusal(callOf('a', one))).toBeDefined();
  });

  test('of a key that is there twice, the last value makes the call', () => {
    verifies('agent.loop.repeat.input');
    const guard = createLoopGuard();
    for (const count of times(12)) {
      const call = callOf('a', `{"path":"a","path":"${count}"}`);
      expect(guard.refusal(call)).toBeUndefined();
      guard.record([[call, { forLLM: 'same' }]]);
    }
    expect(guard.isLooping()).toBe(false);
  });
});

describe('a repeat', () => {
  const limits = { warn: 2, refuse: 2, stop: 3 };

  test('is the same name, the same arguments in any spelling, and the same result', () => {
    verifies('agent.loop.repeat');
    const repeats = (first: ToolCall, second: ToolCall, results: readonly [string, string] = ['x', 'x']): boolean => {
      const guard = createLoopGuard(limits);
      guard.record([[first, { forLLM: results[0] }]]);
      return guard.record([[second, { forLLM: results[1] }]]).size > 0;
    };
    expect(repeats(callOf('a', '{"x":1,"y":2}'), callOf('a', '{ "y": 2, "x": 1 }'))).toBe(true);
    expect(repeats(callOf('a', '{"x":1}'), callOf('a', '{"x":2}'))).toBe(false);
    expect(repeats(callOf('a'), callOf('b'))).toBe(false);
    expect(repeats(callOf('a'), callOf('a'), ['x', 'y'])).toBe(false);
  });

  test('counts once in a turn, and another call between two ends the row', () => {
    const guard = createLoopGuard(limits);
    expect(turn(guard, ['a', 'a', 'a'])).toEqual([]);
    expect(guard.refusal(callOf('a'))).toBeUndefined();
    turn(guard, ['other']);
    expect(turn(guard, ['a'])).toEqual([]);
    expect(guard.refusal(callOf('a'))).toBeUndefined();
    turn(guard, ['a']);
    expect(guard.refusal(callOf('other'))).toBeUndefined();
    expect(guard.refusal(callOf('a'))).toBeDefined();
  });

  test('is refused only while the row lasts', () => {
    verifies('agent.loop.repeat.refuse');
    const guard = createLoopGuard(limits);
    turn(guard, ['a']);
    turn(guard, ['a']);
    expect(guard.refusal(callOf('a', '{"x":1}'))).toBeUndefined();
    turn(guard, ['a'], 'news');
    expect(guard.refusal(callOf('a'))).toBeUndefined();
    expect(guard.isLooping()).toBe(false);
  });
});
