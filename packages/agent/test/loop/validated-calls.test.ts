import {
  type CallContext,
  isToolResult,
  type RunningCall,
  type Tool,
  type ToolCall,
  type ToolResult,
  toolResult,
} from '@kernel/protocol';
import { toToolset } from '@kernel/schema';
import { scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { collect, run, withHooks } from '../../src/index.ts';
import { user } from '../support.ts';

const SEARCH: Tool = {
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  parameters: {
    type: 'object',
    properties: { queries: { type: 'array', items: { type: 'string' } }, limit: { type: 'integer' } },
    required: ['queries'],
  },
};

type Answer = (call: ToolCall, context: CallContext & RunningCall) => ToolResult | Promise<ToolResult>;

/** A toolset as a program writes it: a list and one function for all calls. */
function handWritten(tool: Tool = SEARCH, answer: Answer = () => ({ forLLM: 'found' })) {
  const heard: string[] = [];
  const list = [tool];
  const toolset = toToolset({
    list: () => list,
    async call(call, context) {
      heard.push(call.arguments);
      return answer(call, context);
    },
  });
  return { heard, toolset };
}

const asking = (text: string) =>
  scriptedProvider([{ calls: [{ name: 'search', arguments: text }] }, { text: 'Done.' }]);
const messages = [user('Go')];

describe('a toolset of one function', () => {
  test.each([
    ['{"queries":"[\\"test\\"]"}', '{"queries":["test"]}'],
    ['{"queries":["a"],"limit":null}', '{"queries":["a"]}'],
    ['{"queries":["a"],"limit":"5"}', '{"queries":["a"],"limit":5}'],
  ])('gets %s repaired, and the model reads so', async (sent, expected) => {
    verifies('agent.loop.arguments');
    const { heard, toolset } = handWritten();
    const result = await collect(run({ provider: asking(sent), model: 'm', messages, tools: toolset }));
    expect(heard).toEqual([expected]);
    expect(result.toolCalls[0]?.result.repairs).toHaveLength(1);
    expect(result.toolCalls[0]?.result.forLLM).toContain('Repaired arguments:');
    // The call stays in the history as the model made it.
    expect(result.toolCalls[0]?.call.arguments).toBe(sent);
  });

  test('never gets arguments that its schema refuses, and the model reads why', async () => {
    verifies('agent.loop.arguments');
    const { heard, toolset } = handWritten();
    const result = await collect(run({ provider: asking('{"limit":3}'), model: 'm', messages, tools: toolset }));
    expect(heard).toEqual([]);
    expect(result.toolCalls[0]?.result.code).toBe('ARGUMENTS_INVALID');
    expect(result.toolCalls[0]?.result.forLLM).toContain('"queries"');
  });

  test('gets what needs no repair as the model wrote it', async () => {
    verifies('agent.loop.arguments');
    const { heard, toolset } = handWritten();
    const sent = ' {"queries": ["a"], "other": 1.0} ';
    await collect(run({ provider: asking(sent), model: 'm', messages, tools: toolset }));
    expect(heard).toEqual([sent]);
  });

  test('gets what was approved, and the approver sees what it gets', async () => {
    verifies('agent.loop.arguments');
    const { heard, toolset } = handWritten({ ...SEARCH, effect: 'write' });
    const seen: string[] = [];
    const provider = asking('{"queries":"test"}');
    const approve = ({ call }: { readonly call: ToolCall }) => {
      seen.push(call.arguments);
      return { decision: 'allow' } as const;
    };
    const result = await collect(run({ provider, model: 'm', messages, tools: toolset, approve }));
    expect([seen, heard]).toEqual([['{"queries":["test"]}'], ['{"queries":["test"]}']]);
    expect(result.toolCalls[0]?.result.repairs).toHaveLength(1);
  });

  test('gets what a hook made of a call, repaired', async () => {
    verifies('agent.loop.arguments');
    const { heard, toolset } = handWritten();
    const tools = withHooks(toolset, {
      beforeTool: (call) => ({ action: 'change', call: { ...call, arguments: '{"queries":"hooked"}' } }),
    });
    await collect(run({ provider: asking('{"broken'), model: 'm', messages, tools }));
    expect(heard).toEqual(['{"queries":["hooked"]}']);
  });
});

test('a toolset that prepares its calls itself gets them as they are', async () => {
  verifies('agent.loop.arguments');
  const heard: string[] = [];
  const tools = {
    list: () => [SEARCH],
    prepare(call: ToolCall) {
      heard.push(call.arguments);
      return { tool: SEARCH, arguments: call.arguments, run: async () => toolResult('found') };
    },
  };
  await collect(run({ provider: asking('{"queries":"test"}'), model: 'm', messages, tools }));
  expect(heard).toEqual(['{"queries":"test"}']);
});

test('a toolset of one function that is an instance of a class keeps its methods', async () => {
  verifies('schema.toToolset');
  class Searches {
    readonly #tools = [SEARCH];
    turns = 0;
    list() {
      return this.#tools;
    }
    listFor() {
      this.turns += 1;
      return this.#tools;
    }
    subscribe() {
      return () => void this.#tools;
    }
    async call() {
      return toolResult(`found by ${this.#tools.length}`);
    }
  }
  const source = new Searches();
  const tools = toToolset(source);
  expect(tools.subscribe?.(() => {})()).toBeUndefined();
  const result = await collect(run({ provider: asking('{"queries":["a"]}'), model: 'm', messages, tools }));
  expect([result.toolCalls[0]?.result.forLLM, source.turns]).toEqual(['found by 1', 2]);
});

test('a toolset of one function is not called once the signal has fired', async () => {
  verifies('tools.execute.abort.truth');
  const stop = new AbortController();
  const { heard, toolset } = handWritten();
  const call: ToolCall = { type: 'tool-call', id: '1', name: 'search', arguments: '{"queries":["a"]}' };
  const prepared: unknown = await toolset.prepare(call, { signal: stop.signal });
  if (isToolResult(prepared) || typeof prepared !== 'object') throw new Error('It cannot run.');
  stop.abort();
  const { run: runNow } = prepared as { run: (running: RunningCall) => Promise<ToolResult> };
  expect(await runNow({ signal: stop.signal })).toMatchObject({ code: 'TOOL_CANCELLED', outcome: 'cancelled' });
  expect(toolset.prepare(call, { signal: stop.signal })).toMatchObject({ code: 'TOOL_CANCELLED' });
  expect(heard).toEqual([]);
});

const fails = (error: Error) => (): never => {
  throw error;
};

test.each([
  [
    'throws its reason',
    fails(new Error('socket closed')),
    'what it has done so far is unknown. It reported: socket closed.',
  ],
  ['throws the abort', fails(new DOMException('Aborted.', 'AbortError')), 'what it has done so far is unknown.'],
  [
    'returns what cannot be read',
    () => ({
      forLLM: 'x',
      get data(): never {
        throw new Error('bad');
      },
    }),
    'whether it has finished its work is unknown.',
  ],
])(
  'a hand-written toolset that %s when its signal fires was cancelled, and not said to have failed or ended',
  async (_, end, text) => {
    verifies('tools.execute.abort.truth');
    const stop = new AbortController();
    const { toolset } = handWritten({ ...SEARCH, effect: 'write' }, async (_call, { signal }) => {
      const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
      queueMicrotask(() => setImmediate(() => stop.abort()));
      await stopped;
      return end();
    });
    const provider = asking('{"queries":["a"]}');
    const result = await collect(run({ provider, model: 'm', messages, tools: toolset, signal: stop.signal }));
    expect(result.toolCalls[0]?.result).toMatchObject({
      code: 'TOOL_CANCELLED',
      outcome: 'cancelled',
      forLLM: expect.stringContaining(text),
    });
  },
);

test.each([
  ['a success', { forLLM: 'row 1 of 10 written' }, 'whether it has finished its work is unknown. It returned: row 1'],
  ['its own words', { forLLM: 'Half is written.', isError: true, outcome: 'cancelled' } as const, 'Half is written.'],
])('a hand-written toolset that returns %s when its signal fires is not said to be done', async (_, end, text) => {
  verifies('tools.execute.abort.truth');
  const stop = new AbortController();
  const { toolset } = handWritten({ ...SEARCH, effect: 'write' }, async (_call, { signal }) => {
    const stopped = new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    queueMicrotask(() => setImmediate(() => stop.abort()));
    await stopped;
    return end;
  });
  const provider = asking('{"queries":["a"]}');
  const result = await collect(run({ provider, model: 'm', messages, tools: toolset, signal: stop.signal }));
  expect(result.reason).toBe('aborted');
  const last = result.messages.at(-1);
  expect(last).toMatchObject({ role: 'tool', isError: true });
  expect(last?.content).toContain(text);
});
