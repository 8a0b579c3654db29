import { callTool, type ToolCall, type ToolResult } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, withAsyncPolicy } from '../../src/index.ts';
import { user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

skipTime();

const model = 'm';
const callOf = (name: string, text = '{}'): ToolCall => ({ type: 'tool-call', id: '1', name, arguments: text });
const context = () => ({ signal: new AbortController().signal });

describe('withAsyncPolicy', () => {
  const late: ToolResult = { forLLM: 'the late result' };
  const slow = (ms: number) =>
    mockToolset([
      mockTool('slow', (_call, { onComplete }) => {
        setTimeout(() => onComplete?.(late), ms);
        return { forLLM: 'Started.', async: true };
      }),
    ]);

  test('await waits for the late result, which is then the result of the call', async () => {
    verifies('agent.loop.async.await');
    const tools = withAsyncPolicy(slow(10), { mode: 'await' });
    expect(await callTool(tools, callOf('slow'), context())).toBe(late);
  });

  test('await gives up at its timeout, and the late result is reported later', async () => {
    verifies('agent.loop.async.await', 'agent.loop.async.late');
    const reported: ToolResult[] = [];
    const tools = withAsyncPolicy(slow(30), {
      mode: 'await',
      timeoutMs: 5,
      onLateResult: (_call, result) => reported.push(result),
    });
    expect(await callTool(tools, callOf('slow'), context())).toMatchObject({
      code: 'TOOL_TIMEOUT',
      outcome: 'timeout',
    });
    await expect.poll(() => reported).toEqual([late]);
  });

  test('await ends with the abort of the run', async () => {
    const stop = new AbortController();
    const waiting = callTool(withAsyncPolicy(slow(60), { mode: 'await' }), callOf('slow'), { signal: stop.signal });
    setTimeout(() => stop.abort(), 5);
    expect(await waiting).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'abandoned' });
  });

  test('ignore does not wait, and a run ends without the late result; by tool it may be otherwise', async () => {
    verifies('agent.loop.async.await');
    const reported: string[] = [];
    const tools = withAsyncPolicy(slow(1), {
      byTool: { slow: 'ignore' },
      onLateResult: (call) => reported.push(call.name),
    });
    const provider = scriptedProvider([{ calls: [{ name: 'slow' }] }, { text: 'ok', delayMs: 20 }]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools }));
    expect(result).toMatchObject({ reason: 'done', turns: 2 });
    expect(reported).toEqual(['slow']);
  });

  test('a late result after the end of the run goes to onLateResult, which may throw', async () => {
    verifies('agent.loop.async.late');
    let reported = 0;
    const tools = withAsyncPolicy(slow(20), {
      onLateResult: () => {
        reported += 1;
        throw new Error('mine');
      },
    });
    const provider = scriptedProvider([{ calls: [{ name: 'slow' }] }, { text: 'ok' }]);
    expect((await collect(run({ provider, model, messages: [user('Go')], tools }))).reason).toBe('done');
    await expect.poll(() => reported).toBe(1);
  });
});
