import { textOf } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run, type RunLimits } from '../../src/index.ts';
import { canonicalArguments } from '../../src/limits/canonical-arguments.ts';
import { expectSound, user } from '../support.ts';

function endless(cycle: readonly string[], limits: RunLimits = {}, result: () => string = () => 'same') {
  const provider = scriptedProvider(
    Array.from({ length: 40 }, (_, index) => ({ calls: [{ name: cycle[index % cycle.length] ?? '' }] })),
  );
  const tools = mockToolset([...new Set(cycle)].map((name) => mockTool(name, () => result())));
  return { tools, provider, result: collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits })) };
}

test.each([[['a']], [['a', 'b']], [['a', 'b', 'c']]])(
  'the cycle %j is flagged after 3 repeats, refused after 5 and ends the run after 6',
  async (cycle) => {
    verifies('agent.loop.repeat', 'agent.loop.repeat.refuse', 'agent.loop.repeat.stop');
    const { tools, provider, result } = endless(cycle);
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
});
