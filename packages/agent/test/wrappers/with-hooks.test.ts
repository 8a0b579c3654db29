import { textOf, type ToolCall, type Toolset, callTool } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, withHooks } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const model = 'm';
const callOf = (name: string, text = '{}'): ToolCall => ({ type: 'tool-call', id: '1', name, arguments: text });
const context = () => ({ signal: new AbortController().signal });

describe('withHooks around a provider', () => {
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

describe('withHooks around a toolset', () => {
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
    expect(await callTool(hooked, callOf('a'), context())).toMatchObject(result);
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
    const result = await callTool(hooked, callOf('a'), context());
    expect(result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
    expect(result.forLLM).not.toContain('raw');
  });

  test('list, listFor and subscribe stay as they are', async () => {
    const list = Object.freeze([]);
    const unsubscribe = (): void => undefined;
    const begun: unknown[] = [];
    const tools: Toolset = {
      ...inner(),
      list: () => list,
      listFor(turn) {
        begun.push(turn);
        return list;
      },
      subscribe: () => unsubscribe,
    };
    const hooked = withHooks(tools, {});
    expect(hooked.list()).toBe(list);
    expect(hooked.subscribe?.(() => undefined)).toBe(unsubscribe);
    const turn = { turn: 1, signal: new AbortController().signal };
    await hooked.listFor?.(turn);
    expect(begun).toEqual([turn]);
  });
});
