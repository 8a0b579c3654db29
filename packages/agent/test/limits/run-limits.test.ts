import { KernelError, type Message } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test, describe } from 'vitest';
import { collect, createSteering, run, type RunLimits } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

const usage = { inputTokens: 100, outputTokens: 10 };

function endless(limits: RunLimits, length = 40) {
  const provider = scriptedProvider(
    Array.from({ length }, (_, index) => ({ text: `Step ${index + 1}.`, calls: [{ name: 'a' }], usage })),
  );
  let count = 0;
  const tools = mockToolset([mockTool('a', () => `result ${(count += 1)}`)]);
  const options = { provider, model: 'm', messages: [user('Go')], tools, limits };
  return { provider, tools, events: () => run(options) };
}

test('after 25 model calls, by default, the run ends with reason limit, the answer so far and whole messages', async () => {
  verifies('agent.loop.max');
  const { provider, events } = endless({});
  const result = await collect(events());
  expect(result).toMatchObject({ reason: 'limit', limit: 'turns', turns: 25, answer: 'Step 25.' });
  expect(provider.requests).toHaveLength(25);
  expectSound(result.messages);
});

test.each([
  [{ turns: 3 }, 'turns', 3],
  [{ tokens: 220 }, 'tokens', 2],
  [{ cost: { max: 0.03, of: ({ outputTokens }: { outputTokens: number }) => outputTokens * 0.001 } }, 'cost', 3],
  [{ callsPerTool: 4 }, 'callsPerTool', 5],
] as [RunLimits, string, number][])('the limit %o ends the run as %s after %i turns', async (limits, limit, turns) => {
  verifies('agent.loop.max');
  const result = await collect(endless(limits).events());
  expect(result).toMatchObject({ reason: 'limit', limit, turns });
  expectSound(result.messages);
});

test('a turn limit of 0 is no limit', async () => {
  const provider = scriptedProvider([
    ...Array.from({ length: 30 }, () => ({ calls: [{ name: 'a' }] })),
    { text: 'ok' },
  ]);
  let count = 0;
  const tools = mockToolset([mockTool('a', () => `result ${(count += 1)}`)]);
  const result = await collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits: { turns: 0 } }));
  expect(result).toMatchObject({ reason: 'done', turns: 31 });
});

test('a call beyond its tool’s number is skipped with a result that says so', async () => {
  const { events, tools } = endless({ callsPerTool: 2 });
  const { messages } = await collect(events());
  expect(tools.calls).toHaveLength(2);
  expect(messages.at(-1)).toMatchObject({
    role: 'tool',
    isError: true,
    content: expect.stringContaining('TOOL_SKIPPED'),
  });
});

test('onLimit throw throws LIMIT_REACHED with the partial result', async () => {
  verifies('agent.loop.max.onLimit');
  const error: unknown = await collect(endless({ turns: 2, onLimit: 'throw' }).events()).catch(
    (thrown: unknown) => thrown,
  );
  expect(KernelError.is(error, 'LIMIT_REACHED')).toBe(true);
  expect(error).toMatchObject({ data: { reason: 'limit', limit: 'turns', turns: 2 } });
});

test('onLimit answer sends one last request without tools for a final answer', async () => {
  verifies('agent.loop.max.onLimit');
  const { provider, events } = endless({ turns: 2, onLimit: 'answer' });
  const result = await collect(events());
  expect(result).toMatchObject({ reason: 'limit', limit: 'turns', turns: 3, answer: 'Step 3.' });
  expect(provider.streamRequests[2]).not.toHaveProperty('tools');
});

test('calls of the closing turn, which offers no tools, are dropped: none runs and the history is sound', async () => {
  verifies('agent.loop.max.onLimit', 'agent.loop.history.pairs');
  const { tools, events } = endless({ turns: 2, onLimit: 'answer' });
  const dropped: unknown[] = [];
  let messages: readonly Message[] = [];
  for await (const event of events()) {
    if (event.type === 'message-end') dropped.push(event.droppedCalls);
    if (event.type === 'run-end') ({ messages } = event);
  }
  expect(dropped).toEqual([undefined, undefined, [expect.objectContaining({ name: 'a', reason: 'tool-calls' })]]);
  expect(tools.calls).toHaveLength(2);
  expectSound(messages);
  expect(messages.at(-1)?.content).toEqual([{ type: 'text', text: 'Step 3.' }]);
});

test('an answer that a follow-up came after is still the answer so far when the limit is reached', async () => {
  const steering = createSteering();
  steering.followUp('And in French?');
  const old = [user('Before'), { role: 'assistant', content: [{ type: 'text', text: 'An old answer.' }] }] as const;
  const options = { model: 'm', messages: [...old, user('Greet me')], steering, limits: { turns: 1 } };
  const result = await collect(run({ ...options, provider: scriptedProvider([{ text: 'Hello' }]) }));
  expect(result).toMatchObject({ reason: 'limit', limit: 'turns', answer: 'Hello' });
  const stopped = createSteering();
  stopped.stop();
  const nothing = await collect(run({ ...options, steering: stopped, provider: scriptedProvider([]) }));
  expect(nothing.reason).toBe('aborted');
  expect(nothing).not.toHaveProperty('answer');
});

test('a reply without a usage counts for about what was sent and received', async () => {
  verifies('agent.limits.closed');
  const provider = scriptedProvider([{ text: 'Looking.', calls: [{ name: 'a' }] }], { repeat: true });
  let count = 0;
  const tools = mockToolset([mockTool('a', () => `${(count += 1)}${'x'.repeat(400)}`)]);
  const options = { provider, model: 'm', messages: [user('Go')], tools, limits: { tokens: 1000 } };
  const result = await collect(run(options));
  expect(result).toMatchObject({ reason: 'limit', limit: 'tokens', usage: { inputTokens: 0, outputTokens: 0 } });
  expect(result.turns).toBeGreaterThan(2);
  expect(result.turns).toBeLessThan(6);
});

test.each([
  ['negative', { inputTokens: -1_000_000, outputTokens: 1 }],
  ['not a number', { inputTokens: 1, outputTokens: Number.NaN }],
])('a usage that is %s ends a run that has a budget, and its reply stays in the history', async (_what, wrong) => {
  verifies('agent.limits.closed');
  const limited = run({
    provider: scriptedProvider([{ text: 'Hi', usage: wrong }]),
    model: 'm',
    messages: [user('Go')],
    limits: { cost: { max: 1, of: () => 0 } },
  });
  const end = await collect(limited);
  expect(end).toMatchObject({ reason: 'error', error: { code: 'PROVIDER_PROTOCOL' } });
  expect(end.messages.at(-1)).toMatchObject({ role: 'assistant' });
});

test('a cost that is not a number ends the run with an error, and a maximum that is none is refused', async () => {
  const { events } = endless({ cost: { max: 1, of: () => Number.NaN } });
  expect(await collect(events())).toMatchObject({
    reason: 'error',
    error: { code: 'CONFIG_INVALID' },
    turns: 0,
  });
  expect(() => endless({ cost: { max: Number.NaN, of: () => 0 } }).events()).toThrow('limits.cost.max is NaN.');
});

describe('in virtual time', () => {
  skipTime();

  test('the time limit stops a hanging tool, and keeps the history whole and the text so far', async () => {
    const provider = scriptedProvider([{ text: 'So far.', calls: [{ name: 'slow' }] }]);
    const tools = mockToolset([mockTool('slow', { hangs: true })]);
    const result = await collect(run({ provider, model: 'm', messages: [user('Go')], tools, limits: { timeMs: 20 } }));
    expect(result).toMatchObject({ reason: 'limit', limit: 'time', answer: 'So far.' });
    expectSound(result.messages);
  });

  test.each([Infinity, 2 ** 31])(
    'a time limit of %d ms, which no timer can measure, does not end the run',
    async (timeMs) => {
      const provider = scriptedProvider([{ text: 'ok', delayMs: 20 }]);
      const result = await collect(run({ provider, model: 'm', messages: [user('Go')], limits: { timeMs } }));
      expect(result).toMatchObject({ reason: 'done', answer: 'ok' });
    },
  );
});
