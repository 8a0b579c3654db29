import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import {
  type CallContext,
  callTool,
  type PreparedCall,
  type RunningCall,
  type Tool,
  type ToolCall,
  type ToolResult,
  type Toolset,
  toolResult,
  wrapCalls,
  wrapToolset,
} from '@kernel/protocol';

const look: Tool = { name: 'look', description: 'Looks.', parameters: { type: 'object' } };
const call: ToolCall = { type: 'tool-call', id: '1', name: 'look', arguments: '{"at":1}' };
const refused: ToolResult = { forLLM: 'no', isError: true };
const context = (): CallContext => ({ signal: new AbortController().signal });

/** A toolset of one tool, which keeps what its calls get. */
function toolset(prepared: Partial<PreparedCall> = {}) {
  const ran: RunningCall[] = [];
  const run = async (running: RunningCall) => {
    ran.push(running);
    return toolResult('seen');
  };
  const tools: Toolset = {
    list: () => [look],
    prepare: ({ arguments: text, name }) =>
      name === 'look' ? { tool: look, arguments: text, run, ...prepared } : refused,
  };
  return { ran, tools };
}

test('callTool prepares a call and runs it with what the caller passes', async () => {
  verifies('port.callTool');
  const { ran, tools } = toolset();
  const given = { ...context(), onProgress: () => {}, onComplete: () => {} };
  expect(await callTool(tools, call, given)).toEqual({ forLLM: 'seen' });
  expect(ran).toHaveLength(1);
  expect(ran[0]).toMatchObject(given);
});

test('callTool gives the failed result of a call that cannot run, and calls nothing', async () => {
  verifies('port.callTool');
  const { ran, tools } = toolset();
  let started = 0;
  const given = { ...context(), started: () => void (started += 1) };
  expect(await callTool(tools, { ...call, name: 'other' }, given)).toBe(refused);
  expect([ran.length, started]).toEqual([0, 0]);
});

test('callTool denies a call that needs an approval, because nobody can be asked', async () => {
  verifies('port.callTool');
  const { ran, tools } = toolset({ needsApproval: true });
  const result = await callTool(tools, call, context());
  expect(result).toMatchObject({ isError: true, code: 'TOOL_DENIED', outcome: 'denied' });
  expect(result.forLLM).toContain('"look" was not allowed: it needs approval');
  expect(ran).toEqual([]);
  expect((await callTool(toolset({ needsApproval: false }).tools, call, context())).forLLM).toBe('seen');
});

test.each([
  [undefined, ['started', 'ran']],
  [true, ['ran']],
])('callTool awaits started before the call, unless awaitsStarted is %s', async (awaitsStarted, expected) => {
  verifies('port.callTool');
  const seen: string[] = [];
  const { tools } = toolset({
    awaitsStarted,
    async run() {
      seen.push('ran');
      return toolResult('seen');
    },
  });
  const started = async (): Promise<void> => {
    await Promise.resolve();
    seen.push('started');
  };
  await callTool(tools, call, { ...context(), started });
  expect(seen).toEqual(expected);
});

test('wrapCalls changes prepared calls, lets results pass, and stays synchronous', async () => {
  verifies('port.wrapCalls');
  const { tools } = toolset();
  const seen: unknown[] = [];
  const given = context();
  const wrapped = wrapCalls(tools, (prepared, made, at) => {
    seen.push([prepared.arguments, made, at]);
    return { ...prepared, needsApproval: true };
  });
  expect(wrapped.prepare(call, given)).toMatchObject({ tool: look, needsApproval: true });
  expect(seen).toEqual([['{"at":1}', call, given]]);
  expect(wrapped.prepare({ ...call, name: 'other' }, given)).toBe(refused);
  expect(seen).toHaveLength(1);
  expect(wrapped.list()).toEqual([look]);
});

test('wrapCalls refuses a call by a result, and waits for a toolset or a wrapper that waits', async () => {
  verifies('port.wrapCalls');
  const { tools } = toolset();
  expect(wrapCalls(tools, () => refused).prepare(call, context())).toBe(refused);
  const slow: Toolset = { ...tools, prepare: async (made, at) => tools.prepare(made, at) };
  const waiting = wrapCalls(slow, (prepared) => ({ ...prepared, runsAgent: true }));
  expect(await waiting.prepare(call, context())).toMatchObject({ runsAgent: true });
  expect(await waiting.prepare({ ...call, name: 'other' }, context())).toBe(refused);
  expect(await wrapCalls(tools, async () => refused).prepare(call, context())).toBe(refused);
});

test('wrapToolset keeps the methods of an instance, and replaces those that it is given', () => {
  verifies('agent.wrappers.inherited');
  class Tools implements Toolset {
    readonly #list = [look];
    list() {
      return this.#list;
    }
    listFor() {
      return this.#list;
    }
    prepare() {
      return { ...refused, forLLM: `${this.#list.length}` };
    }
    subscribe() {
      return () => void this.#list;
    }
  }
  const wrapped = wrapToolset(new Tools(), { list: () => [] });
  expect([wrapped.list(), wrapped.prepare(call, context())]).toEqual([[], { ...refused, forLLM: '1' }]);
  expect(wrapped.listFor?.({ turn: 1, signal: context().signal })).toEqual([look]);
  expect(wrapped.subscribe?.(() => {})()).toBeUndefined();
});
