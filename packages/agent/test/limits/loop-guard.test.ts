import { textOf } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run, type RunLimits } from '../../src/index.ts';
import { createLoopGuard } from '../../src/limits/loop-guard.ts';
import { canonicalArguments } from '../../src/limits/canonical-arguments.ts';
import { expectSound, user } from '../support.ts';

function endless(cycle: readonly string[], limits: RunLimits = {}, result: () => string = () => 'same') {
  const provider = scriptedProvider(
    Array.from({ length: 60 }, (_, index) => ({ calls: [{ name: cycle[index % cycle.length] ?? '' }] })),
  );
  const tools = mockToolset([...new Set(cycle)].map((name) => mockTool(name, () => result())));
  return { tools, provider, result: collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits })) };
}

test.each(Array.from({ length: 6 }, (_, index) => [['a', 'b', 'c', 'd', 'e', 'f'].slice(0, index + 1)]))(
  'the cycle %j is flagged after 3 repeats, refused after 5 and ends the run after 6',
  async (cycle) => {
    verifies('agent.loop.repeat', 'agent.loop.repeat.refuse', 'agent.loop.repeat.stop');
    const { tools, provider, result } = endless(cycle, { turns: 60 });
    const { reason, messages } = await result;
    expect(reason).toBe('loop');
    expectSound(messages);
    expect(provider.requests).toHaveLength(6 * cycle.length);
    expect(tools.calls).toHaveLength(5 * cycle.length);
    const texts = messages.filter((message) => message.role === 'tool').map((message) => textOf(message));
    expect(texts.findIndex((text) => text.includes('same results 3 times'))).toBe(3 * cycle.length - 1);
    expect(texts.slice(0, 3 * cycle.length - 1).every((text) => text === 'same')).toBe(true);
    expect(texts.at(-1)).toContain('TOOL_SKIPPED');
  },
);

test('the numbers are adjustable, and the guard can be switched off', async () => {
  verifies('agent.loop.repeat.refuse', 'agent.loop.repeat.stop');
  expect(await endless(['a'], { repeats: { warn: 2, refuse: 2, stop: 3 } }).result).toMatchObject({
    reason: 'loop',
    turns: 3,
  });
  expect(await endless(['a'], { repeats: false, turns: 12 }).result).toMatchObject({ reason: 'limit', turns: 12 });
});

test('the same call with new results is not a loop', async () => {
  let count = 0;
  const { result } = endless(['poll'], { turns: 12 }, () => `result ${(count += 1)}`);
  const { reason, messages } = await result;
  expect(reason).toBe('limit');
  expect(JSON.stringify(messages)).not.toContain('Note:');
});

test('the same call twenty times in one turn is one try', async () => {
  const provider = scriptedProvider([{ calls: Array.from({ length: 20 }, () => ({ name: 'a' })) }, { text: 'ok' }]);
  const tools = mockToolset([mockTool('a', 'same')]);
  expect(await collect(run({ provider, model: 'm', messages: [user('Go')], tools }))).toMatchObject({ reason: 'done' });
});

test('arguments are compared in one spelling', () => {
  expect(canonicalArguments('{ "b": [1, {"d":1,"c":2}], "a": null }')).toBe('{"a":null,"b":[1,{"c":2,"d":1}]}');
  expect(canonicalArguments('{"__proto__":1}')).toBe('{"__proto__":1}');
  expect(canonicalArguments(' {"a": ')).toBe('{"a":');
  expect(canonicalArguments('{"a": 1, "a": 2} ')).toBe('{"a": 1, "a": 2}');
});

test.each([7, 8])('a cycle of %i calls ends the run', async (length) => {
  verifies('agent.loop.repeat.stop');
  const cycle = Array.from({ length }, (_, index) => `t${index}`);
  const { result } = endless(cycle, { turns: 60 });
  expect(await result).toMatchObject({ reason: 'loop', turns: 6 * length });
});

test.each<readonly [string, (turn: number, tools: readonly string[]) => readonly string[], number]>([
  ['the same nine calls in each turn', (_, tools) => tools, 9],
  [
    'three calls in another order in each turn',
    (turn, tools) => [0, 1, 2].map((at) => tools[(at + turn) % 3] ?? ''),
    3,
  ],
  ['nine calls and one in turns', (turn, tools) => (turn % 2 === 0 ? tools : tools.slice(0, 1)), 9],
])('%s are a loop', async (_name, callsOf, count) => {
  verifies('agent.loop.repeat', 'agent.loop.repeat.refuse', 'agent.loop.repeat.stop');
  const names = Array.from({ length: count }, (_, index) => `t${index}`);
  const script = Array.from({ length: 60 }, (_, turn) => ({ calls: callsOf(turn, names).map((name) => ({ name })) }));
  const tools = mockToolset(names.map((name) => mockTool(name, () => 'same')));
  const provider = scriptedProvider(script);
  const result = await collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits: { turns: 20 } }));
  expect(result.reason).toBe('loop');
  expect(result.turns).toBeLessThanOrEqual(12);
  expect(tools.calls.length).toBeLessThanOrEqual(5 * count + 5);
  expect(JSON.stringify(result.messages)).toContain('same results 3 times');
});

/** A model that calls a tool with a new nonce each time, and a tool whose result names the time. */
function volatile(limits: RunLimits) {
  const provider = scriptedProvider(
    Array.from({ length: 20 }, (_, index) => ({
      calls: [{ name: 'a', arguments: { q: 1, meta: { nonce: `n${index}` } } }],
    })),
  );
  let seconds = 10;
  const tools = mockToolset([mockTool('a', () => `nothing at 12:00:${(seconds += 1)}`)]);
  return collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits: { turns: 12, ...limits } }));
}

test('a nonce in the arguments and a clock in the result do not hide a loop whose limits ignore them', async () => {
  verifies('agent.loop.repeat.ignore');
  const normalizeResult = (text: string): string => text.replaceAll(/\d\d:\d\d:\d\d/g, '');
  expect(await volatile({})).toMatchObject({ reason: 'limit' });
  expect(await volatile({ repeats: { ignore: ['nonce'] } })).toMatchObject({ reason: 'limit' });
  expect(await volatile({ repeats: { ignore: ['nonce'], normalizeResult } })).toMatchObject({
    reason: 'loop',
    turns: 6,
  });
  const other = { ignore: ['q'], normalizeResult };
  expect(await volatile({ repeats: other })).toMatchObject({ reason: 'limit' });
});

test('a normalizer that throws leaves the result as it is, and options of the wrong type are refused', async () => {
  verifies('agent.loop.repeat.ignore');
  const normalizeResult = (): never => {
    throw new Error('broken');
  };
  expect(await endless(['a'], { repeats: { normalizeResult } }).result).toMatchObject({ reason: 'loop', turns: 6 });
  for (const repeats of [{ ignore: 'nonce' }, { ignore: [1] }, { normalizeResult: 'no' }])
    expect(() => endless(['a'], { repeats: repeats as never })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
});

test('a turn costs as many comparisons whatever the limits are: one with each of the last eight calls', () => {
  verifies('agent.loop.repeat.cost');
  let reads = 0;
  const guard = createLoopGuard({ warn: 1_000, refuse: 1_000, stop: 1_000 });
  const countOf = (): number => {
    const before = reads;
    const call = Object.defineProperty({ type: 'tool-call' as const, id: 'x', name: 'a', arguments: '{}' }, 'name', {
      get: () => {
        reads += 1;
        return 'a';
      },
    });
    guard.refusal(call);
    guard.record([[call, { forLLM: 'same' }]]);
    return reads - before;
  };
  const counts = Array.from({ length: 1_000 }, countOf);
  expect(Math.max(...counts)).toBeLessThanOrEqual(16);
});
