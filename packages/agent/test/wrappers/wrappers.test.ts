import { textOf, type ToolCall, type ToolResult, type Toolset } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import {
  type Approve,
  collect,
  rememberApprovals,
  run,
  runToolLoop,
  tapEvents,
  withAsyncPolicy,
  withHooks,
  withSelectedTools,
} from '../../src/index.ts';
import { expectSound, readAll, user } from '../support.ts';

const model = 'm';
const callOf = (name: string, text = '{}'): ToolCall => ({ type: 'tool-call', id: '1', name, arguments: text });
const context = () => ({ signal: new AbortController().signal });

describe('withHooks round a provider', () => {
  const messages = [user('Go')];
  test('continues, changes the request and changes the reply', async () => {
    verifies('agent.loop.hooks');
    const inner = scriptedProvider([{ text: 'raw' }]);
    const provider = withHooks(inner, {
      beforeModel: (request) => ({ action: 'change', request: { ...request, model: 'other' } }),
      afterModel: (end) => ({
        action: 'change',
        end: {
          ...end,
          message: { role: 'assistant', content: [{ type: 'text', text: `${textOf(end.message)}, cooked` }] },
        },
      }),
    });
    expect(await collect(run({ provider, model, messages }))).toMatchObject({ reason: 'done', answer: 'raw, cooked' });
    expect(inner.streamRequests[0]?.model).toBe('other');
  });

  test('answers in place of the model, denies, and ends the run as handled', async () => {
    verifies('agent.loop.hooks');
    const silent = scriptedProvider([]);
    const withVerdict = (verdict: never) =>
      collect(run({ provider: withHooks(silent, { beforeModel: () => verdict }), model, messages }));
    expect(await withVerdict({ action: 'answer', text: 'cached' } as never)).toMatchObject({
      reason: 'done',
      answer: 'cached',
    });
    expect(await withVerdict({ action: 'deny', reason: 'off hours' } as never)).toMatchObject({
      reason: 'error',
      error: { code: 'PROVIDER_REFUSED', message: expect.stringContaining('off hours') },
    });
    expect(await withVerdict({ action: 'stop', answer: 'bye' } as never)).toMatchObject({
      reason: 'handled',
      answer: 'bye',
      messages,
    });
    expect(silent.requests).toHaveLength(0);
  });

  test('runs the outer before first and the outer after last', async () => {
    verifies('agent.loop.hooks');
    const order: string[] = [];
    const note = (name: string) => ({
      beforeModel: () => void order.push(`before ${name}`),
      afterModel: () => void order.push(`after ${name}`),
    });
    const provider = withHooks(withHooks(scriptedProvider([{ text: 'x' }]), note('inner')), note('outer'));
    await collect(run({ provider, model, messages }));
    expect(order).toEqual(['before outer', 'before inner', 'after inner', 'after outer']);
  });

  test('a hook that throws ends the run with its reason', async () => {
    const provider = withHooks(scriptedProvider([]), { beforeModel: () => Promise.reject(new Error('broken hook')) });
    expect(await collect(run({ provider, model, messages }))).toMatchObject({
      reason: 'error',
      error: { message: expect.stringContaining('broken hook') },
    });
  });
});

describe('withHooks round a toolset', () => {
  const inner = () => mockToolset([mockTool('a', 'raw')]);
  test.each([
    ['continues', undefined, { forLLM: 'raw' }, 1],
    ['changes the call', { action: 'change', call: callOf('a', '{"x":1}') }, { forLLM: 'raw' }, 1],
    ['answers in place', { action: 'answer', result: { forLLM: 'cached' } }, { forLLM: 'cached' }, 0],
    ['denies', { action: 'deny', reason: 'no' }, { isError: true, code: 'TOOL_DENIED', outcome: 'denied' }, 0],
  ])('%s', async (_name, verdict, result, ran) => {
    verifies('agent.loop.hooks');
    const tools = inner();
    const hooked = withHooks(tools, { beforeTool: () => verdict as never });
    expect(await hooked.call(callOf('a'), context())).toMatchObject(result);
    expect(tools.calls).toHaveLength(ran);
  });

  test('ends the run as handled, with every call answered', async () => {
    verifies('agent.loop.hooks');
    const tools = withHooks(inner(), { afterTool: () => ({ action: 'stop', answer: 'Found it.' }) });
    const provider = scriptedProvider([{ calls: [{ name: 'a' }, { name: 'a' }] }]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(result).toMatchObject({ reason: 'handled', answer: 'Found it.', turns: 1 });
    expectSound(result.messages);
  });

  test('a hook that throws fails closed: the result goes no further', async () => {
    const hooked = withHooks(inner(), {
      afterTool: () => {
        throw new Error('no redaction');
      },
    });
    const result = await hooked.call(callOf('a'), context());
    expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
    expect(result.forLLM).not.toContain('raw');
  });

  test('list, beginTurn and subscribe go through', () => {
    const tools: Toolset = { ...inner(), beginTurn: async () => {}, subscribe: () => () => {} };
    const hooked = withHooks(tools, {});
    expect([hooked.list, hooked.beginTurn, hooked.subscribe]).toEqual([tools.list, tools.beginTurn, tools.subscribe]);
  });
});

describe('withSelectedTools', () => {
  test('offers the chosen tools of each turn, and a call to another gives an error', async () => {
    verifies('agent.loop.subset');
    const inner = mockToolset([mockTool('a', 'x'), mockTool('b', 'y')]);
    const tools = withSelectedTools(inner, (all, { turn }) =>
      all.filter(({ name }) => (name === 'a') === (turn === 1)),
    );
    const provider = scriptedProvider([{ calls: [{ name: 'b' }] }, { calls: [{ name: 'b' }] }, { text: 'ok' }]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(provider.streamRequests.map((request) => request.tools?.map(({ name }) => name))).toEqual([
      ['a'],
      ['b'],
      ['b'],
    ]);
    expect(provider.streamRequests[1]?.tools).toBe(provider.streamRequests[2]?.tools);
    expect(inner.calls).toHaveLength(1);
    expect(result.messages.map(textOf)[2]).toContain('not on offer in this turn. Offered: a.');
  });
});

describe('withAsyncPolicy', () => {
  const late: ToolResult = { forLLM: 'the outcome' };
  const slow = (ms: number) =>
    mockToolset([
      mockTool('slow', (_call, { onComplete }) => {
        setTimeout(() => onComplete?.(late), ms);
        return { forLLM: 'Started.', async: true };
      }),
    ]);

  test('await waits for the outcome, which is then the result of the call', async () => {
    verifies('agent.loop.async.await');
    const tools = withAsyncPolicy(slow(10), { mode: 'await' });
    expect(await tools.call(callOf('slow'), context())).toBe(late);
  });

  test('await gives up at its clock, and the outcome is told later', async () => {
    verifies('agent.loop.async.await', 'agent.loop.async.late');
    const heard: ToolResult[] = [];
    const tools = withAsyncPolicy(slow(30), {
      mode: 'await',
      timeoutMs: 5,
      onLateResult: (_call, result) => heard.push(result),
    });
    expect(await tools.call(callOf('slow'), context())).toMatchObject({ code: 'TOOL_TIMEOUT', outcome: 'timeout' });
    await expect.poll(() => heard).toEqual([late]);
  });

  test('await heeds the abort of the run', async () => {
    const stop = new AbortController();
    const waiting = withAsyncPolicy(slow(60), { mode: 'await' }).call(callOf('slow'), { signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    expect(await waiting).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'abandoned' });
  });

  test('ignore does not wait, and a run ends without the outcome; by tool it may be otherwise', async () => {
    verifies('agent.loop.async.await');
    const heard: string[] = [];
    const tools = withAsyncPolicy(slow(1), {
      byTool: { slow: 'ignore' },
      onLateResult: (call) => heard.push(call.name),
    });
    const provider = scriptedProvider([{ calls: [{ name: 'slow' }] }, { text: 'ok', delayMs: 20 }]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(result).toMatchObject({ reason: 'done', turns: 2 });
    expect(heard).toEqual(['slow']);
  });

  test('an outcome after the end of the run goes to onLateResult, which may throw', async () => {
    verifies('agent.loop.async.late');
    let heard = 0;
    const tools = withAsyncPolicy(slow(20), {
      onLateResult: () => {
        heard += 1;
        throw new Error('mine');
      },
    });
    const provider = scriptedProvider([{ calls: [{ name: 'slow' }] }, { text: 'ok' }]);
    expect((await collect(run({ provider, model, messages: [user('Go')], tools }))).reason).toBe('done');
    await expect.poll(() => heard).toBe(1);
  });
});

test('rememberApprovals asks once for the same tool and arguments, or for the tool', async () => {
  for (const [rule, asked] of [
    ['arguments', 2],
    ['tool', 1],
    [() => 'all', 1],
  ] as const) {
    let count = 0;
    const approve: Approve = rememberApprovals(() => ({ decision: (count += 1) > 0 ? 'allow' : 'later' }), rule);
    const tool = mockTool('a', 'x').tool;
    for (const text of ['{"a":1,"b":2}', '{ "b": 2, "a": 1 }', '{"a":2}'])
      await approve({ call: callOf('a', text), tool, signal: context().signal });
    expect(count).toBe(asked);
  }
});

test('a sink that throws or rejects harms neither the run nor the other sinks', async () => {
  const seen: string[] = [];
  const errors: unknown[] = [];
  const sinks = [
    () => {
      throw new Error('one');
    },
    () => Promise.reject(new Error('two')),
    (event: { type: string }) => void seen.push(event.type),
  ];
  const events = await readAll(
    tapEvents(run({ provider: scriptedProvider([{ text: 'x' }]), model, messages: [user('Go')] }), sinks, (error) =>
      errors.push(error),
    ),
  );
  await expect.poll(() => errors).toHaveLength(2 * events.length);
  expect(seen).toEqual(events.map(({ type }) => type));
});

describe('runToolLoop', () => {
  test("is seed 002's form of a run", async () => {
    verifies('agent.loop.result');
    const tools = mockToolset([mockTool('a', 'x')]);
    const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'done' }]);
    const options = { max_tokens: 4096 };
    expect(await runToolLoop({ provider, model, tools, maxIterations: 5, options }, [user('Go')], 'mail', '7')).toEqual(
      { content: 'done', iterations: 2 },
    );
    expect(tools.contexts[0]?.conversation).toEqual({ channel: 'mail', chatId: '7' });
    expect(provider.streamRequests[0]?.options).toEqual(options);
  });

  test("throws the provider's error and the abort's reason", async () => {
    verifies('agent.loop.providerError');
    const error = new Error('gone');
    await expect(runToolLoop({ provider: scriptedProvider([{ error }]), model }, [user('Go')])).rejects.toMatchObject({
      cause: error,
    });
    const signal = AbortSignal.abort(error);
    await expect(runToolLoop({ provider: scriptedProvider([]), model, signal }, [user('Go')])).rejects.toBe(error);
  });
});

test('collect resolves to answer, reason, turns, calls, messages and usage', async () => {
  verifies('agent.loop.result');
  const tools = mockToolset([mockTool('a', 'x')]);
  const provider = scriptedProvider([{ calls: [{ name: 'a' }] }, { text: 'done' }]);
  const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
  expect(result).toMatchObject({
    reason: 'done',
    answer: 'done',
    turns: 2,
    usage: { inputTokens: 0, outputTokens: 0 },
  });
  expect(result.toolCalls).toEqual([
    { call: expect.objectContaining({ name: 'a' }), result: { forLLM: 'x' }, durationMs: expect.any(Number) },
  ]);
  expect(result.messages).toHaveLength(4);
});
