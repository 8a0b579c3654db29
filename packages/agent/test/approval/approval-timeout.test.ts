import type { Approve } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { agentAsTool, collect, run } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const DAY_MS = 86_400_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function start(approve: Approve, approvalTimeoutMs?: number) {
  const tools = mockToolset([mockTool('writes', 'w', { effect: 'write' })]);
  const provider = scriptedProvider([{ calls: [{ name: 'writes' }] }, { text: 'ok' }]);
  const base = { provider, model: 'm', messages: [user('Go')], tools, approve };
  return { tools, result: collect(run({ ...base, approvalTimeoutMs })) };
}

/** Allows when it is told to, and keeps what its signal said then. A single timer of the test itself could not wait this long. */
function slow() {
  const seen: boolean[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  const approve: Approve = async ({ signal }) => {
    await promise;
    seen.push(signal.aborted);
    return { decision: 'allow' };
  };
  return { seen, approve, answer: resolve };
}

test.each([
  [5000, 4999],
  [60 * DAY_MS, 60 * DAY_MS - 1],
  [Infinity, 60 * DAY_MS],
  [undefined, 60 * DAY_MS],
])('with approvalTimeoutMs %d, an answer after %d ms allows', async (timeoutMs, afterMs) => {
  verifies('agent.loop.approval.timeout');
  const { seen, approve, answer } = slow();
  const { tools, result } = start(approve, timeoutMs);
  await vi.advanceTimersByTimeAsync(afterMs);
  answer();
  expect((await result).reason).toBe('done');
  expect(tools.calls).toHaveLength(1);
  expect(seen).toEqual([false]);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([5000, 60 * DAY_MS])(
  'with approvalTimeoutMs %d, a late answer denies, and the model reads so',
  async (timeoutMs) => {
    verifies('agent.loop.approval.timeout');
    const { seen, approve, answer } = slow();
    const { tools, result } = start(approve, timeoutMs);
    await vi.advanceTimersByTimeAsync(timeoutMs + 1);
    answer();
    const { reason, messages } = await result;
    expect(reason).toBe('done');
    expect(seen).toEqual([true]);
    expect(tools.calls).toHaveLength(0);
    expectSound(messages);
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({
      isError: true,
      content: `TOOL_DENIED: "writes" was not allowed: no decision came within ${timeoutMs} ms (approvalTimeoutMs).`,
    });
  },
);

test('an answer is late too if the approval blocked the thread', async () => {
  verifies('agent.loop.approval.timeout');
  let nowMs = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  const { tools, result } = start(() => {
    nowMs += 5000;
    return { decision: 'allow' };
  }, 5000);
  expect((await result).reason).toBe('done');
  expect(tools.calls).toHaveLength(0);
  clock.mockRestore();
});

test('an approval that never answers ends at its timeout, with no timer left', async () => {
  verifies('agent.loop.approval.timeout');
  const { tools, result } = start(() => new Promise(() => {}), 5000);
  await vi.advanceTimersByTimeAsync(5000);
  expect((await result).reason).toBe('done');
  expect(tools.calls).toHaveLength(0);
  expect(vi.getTimerCount()).toBe(0);
});

test.each([0, -1, Number.NaN, '5000'])('approvalTimeoutMs: %j is refused', (timeoutMs) => {
  verifies('agent.loop.approval.timeout');
  expect(() => start(() => ({ decision: 'allow' }), timeoutMs as number)).toThrowError(
    expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining('approvalTimeoutMs') }),
  );
});

test('a sub-agent inherits the timeout with the approval', async () => {
  verifies('agent.loop.approval.timeout');
  const tools = mockToolset([mockTool('writes', 'w', { effect: 'write' })]);
  const inner = scriptedProvider([{ calls: [{ name: 'writes' }] }, { text: 'I may not.' }]);
  const helper = { provider: inner, model: 'm', tools };
  const { tool, handler } = agentAsTool({ name: 'helper', description: '', effect: 'read', run: helper });
  const outer = mockToolset([
    {
      tool,
      behavior: (call, context) => handler({ task: 'Do it.' }, { ...context, callId: call.id, toolName: call.name }),
    },
  ]);
  const result = collect(
    run({
      provider: scriptedProvider([{ calls: [{ name: 'helper' }] }, { text: 'ok' }]),
      model: 'm',
      messages: [user('Go')],
      tools: outer,
      approve: () => new Promise(() => {}),
      approvalTimeoutMs: 5000,
    }),
  );
  await vi.advanceTimersByTimeAsync(5000);
  expect((await result).reason).toBe('done');
  expect(tools.calls).toHaveLength(0);
});
