import { KernelError, type ToolResult, type StepExecutor, callTool } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { collect, inProcessSteps, run, withAsyncPolicy } from '../../src/index.ts';
import { readAll, user } from '../support.ts';

const model = 'm';
const messages = [user('Go')];

/** Says whether the promise settles exactly when `ms` have passed, and not one millisecond before. */
async function settlesAfter(ms: number, work: Promise<unknown>): Promise<readonly boolean[]> {
  let hasSettled = false;
  void work.finally(() => (hasSettled = true));
  await vi.advanceTimersByTimeAsync(ms - 1);
  const before = hasSettled;
  await vi.advanceTimersByTimeAsync(1);
  return [before, hasSettled];
}

describe('default clocks', () => {
  const useVirtualTime = (): void => {
    vi.useFakeTimers();
    onTestFinished(() => void vi.useRealTimers());
  };

  test('the beginning of a turn ends after 30 seconds, and not before', async () => {
    verifies('agent.loop.clocks');
    useVirtualTime();
    const tools = { ...mockToolset([]), listFor: () => new Promise<never>(() => {}) };
    const result = collect(run({ provider: scriptedProvider([]), model, messages, tools }));
    expect(await settlesAfter(30_000, result)).toEqual([false, true]);
    expect(await result).toMatchObject({ error: { message: expect.stringContaining('30000 ms') } });
  });

  test('without any option `await` waits for an outcome for 5 minutes, and not longer', async () => {
    verifies('agent.loop.clocks', 'agent.loop.async.await');
    useVirtualTime();
    const tools = withAsyncPolicy(mockToolset([mockTool('slow', { forLLM: 'Started.', async: true })]), {
      mode: 'await',
    });
    const result = callTool(
      tools,
      { type: 'tool-call', id: '1', name: 'slow', arguments: '{}' },
      { signal: new AbortController().signal },
    );
    expect(await settlesAfter(300_000, result)).toEqual([false, true]);
    expect(await result).toMatchObject({ code: 'TOOL_TIMEOUT', outcome: 'timeout' });
  });

  test('no clock ends a run that has no limit of time', async () => {
    verifies('agent.loop.clocks');
    useVirtualTime();
    const hour = 3_600_000;
    const tools = mockToolset([mockTool('slow', { returns: 'done', delayMs: 24 * hour })]);
    const provider = scriptedProvider([{ calls: [{ name: 'slow' }] }, { text: 'ok', delayMs: 24 * hour }]);
    const result = collect(run({ provider, model, messages, tools }));
    await vi.advanceTimersByTimeAsync(48 * hour);
    expect(await result).toMatchObject({ reason: 'done', answer: 'ok' });
  });
});

test('LIMIT_REACHED carries all messages of the run, so that it can go on', async () => {
  verifies('agent.loop.max.onLimit');
  const tools = mockToolset([mockTool('a', 'x')]);
  const script = () => scriptedProvider(['1', '2'].map((id) => ({ calls: [{ name: 'a', id }] })));
  const stopped = await collect(run({ provider: script(), model, messages, tools, limits: { turns: 2 } }));
  const thrown: unknown = await collect(
    run({ provider: script(), model, messages, tools, limits: { turns: 2, onLimit: 'throw' } }),
  ).catch((error: unknown) => error);
  expect(KernelError.is(thrown, 'LIMIT_REACHED')).toBe(true);
  const data = (thrown as KernelError).data as unknown as { messages: typeof stopped.messages };
  expect(data.messages).toHaveLength(5);
  expect(data.messages).toEqual(stopped.messages);
  const provider = scriptedProvider([{ text: 'ok' }]);
  expect(await collect(run({ provider, model, messages: data.messages, tools }))).toMatchObject({ reason: 'done' });
});

describe('the result of a call', () => {
  /** The result as the reader of events has it, and as the executor of steps does. */
  async function resultOf(result: ToolResult): Promise<{ event: ToolResult; output: unknown }> {
    const outputs: unknown[] = [];
    const steps: StepExecutor = {
      async all(batch) {
        const done = await inProcessSteps.all(batch);
        batch.forEach(({ id }, at) => id.startsWith('tool:') && outputs.push(done[at]));
        return done;
      },
    };
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'ok' }]);
    const tools = mockToolset([mockTool('a', () => result)]);
    const events = await readAll(run({ provider, model, messages, tools, steps }));
    const end = events.find((event) => event.type === 'tool-end');
    if (end === undefined) throw new Error('No call has ended.');
    return { event: end.result, output: (outputs[0] as { result: unknown }).result };
  }

  test.each([
    ['a text for the user', { forLLM: 'a', forUser: 'b' }, { forLLM: 'a', forUser: 'b' }],
    ['an empty text', { forLLM: 'a', forUser: '' }, { forLLM: 'a' }],
    ['a text that is suppressed', { forLLM: 'a', forUser: 'b', silent: true }, { forLLM: 'a', silent: true }],
    ['an empty text that is suppressed', { forLLM: 'a', forUser: '', silent: true }, { forLLM: 'a', silent: true }],
  ] as const)('with %s reaches the reader of events without what nobody is to see', async (_name, result, expected) => {
    verifies('result.silent');
    expect((await resultOf(result)).event).toStrictEqual(expected);
  });

  test('is recorded in its JSON form: its known fields and nothing else, without the original error', async () => {
    verifies('agent.loop.steps.json');
    const error = new KernelError('TOOL_FAILED', 'with a secret', { data: { password: 'secret' } });
    const result = {
      forLLM: 'failed',
      isError: true,
      code: 'TOOL_FAILED',
      error,
      mine: 'secret',
      data: { a: 1 },
    } as const;
    const { event, output } = await resultOf(result);
    expect(event.error).toBe(error);
    expect(output).toStrictEqual({ forLLM: expect.any(String), isError: true, code: 'TOOL_FAILED', data: { a: 1 } });
    expect(JSON.stringify(output)).not.toContain('secret');
  });
});
