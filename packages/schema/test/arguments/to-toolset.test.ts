import {
  type CallContext,
  callTool,
  isToolResult,
  type PreparedCall,
  type Tool,
  type ToolCall,
  type ToolEffect,
  type ToolResult,
  toolResult,
} from '@kernel/protocol';
import { toolsetConformance, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { toToolset } from '../../src/index.ts';

const search = (effect: ToolEffect = 'read'): Tool => ({
  name: 'search',
  description: 'Searches.',
  effect,
  parameters: {
    type: 'object',
    properties: { queries: { type: 'array', items: { type: 'string' } } },
    required: ['queries'],
  },
});
const callOf = (text: string, name = 'search'): ToolCall => ({ type: 'tool-call', id: '1', name, arguments: text });
const context = (): CallContext => ({ signal: new AbortController().signal });

function source(answer: (call: ToolCall) => unknown = () => toolResult('found'), effect?: ToolEffect) {
  const heard: string[] = [];
  const list = [search(effect)];
  const tools = toToolset({
    list: () => list,
    async call(call) {
      heard.push(call.arguments);
      return (await answer(call)) as ToolResult;
    },
  });
  return { heard, tools };
}

test('toToolset shows the arguments that its function gets, repaired by the schema of the tool', async () => {
  verifies('schema.toToolset');
  const { heard, tools } = source();
  const prepared = tools.prepare(callOf('{"queries":"a"}'), context());
  expect(prepared).toMatchObject({ tool: tools.list()[0], arguments: '{"queries":["a"]}' });
  expect(heard).toEqual([]);
  const result = await callTool(tools, callOf('{"queries":"a"}'), context());
  expect([heard, result.repairs?.length]).toEqual([['{"queries":["a"]}'], 1]);
});

test.each([
  ['{"queries":7}', 'search', 'ARGUMENTS_INVALID'],
  ['{"queries":', 'search', 'ARGUMENTS_INVALID'],
  ['{"queries":["a"]}', 'serch', 'TOOL_NOT_FOUND'],
])('toToolset refuses %s to %s at once as %s', (text, name, code) => {
  verifies('schema.toToolset');
  const { heard, tools } = source();
  expect(tools.prepare(callOf(text, name), context())).toMatchObject({ isError: true, code });
  expect(heard).toEqual([]);
});

test('toToolset names the tools that there are, and of a long name only the beginning', () => {
  const { tools } = source();
  const unknown = tools.prepare(callOf('{}', 'x'.repeat(10_000)), context()) as ToolResult;
  expect(unknown.forLLM).toContain('Offered: search.');
  expect(unknown.forLLM.length).toBeLessThan(300);
});

test('what its function throws is a failed result', async () => {
  verifies('schema.toToolset');
  const { tools } = source(() => Promise.reject(new Error('socket closed')));
  expect(await callTool(tools, callOf('{"queries":["a"]}'), context())).toMatchObject({
    code: 'TOOL_FAILED',
    forLLM: expect.stringContaining('"search" failed: socket closed'),
  });
});

test.each([
  ['read', '{"queries":"a"}', true],
  ['write', '{"queries":"a"}', undefined],
] as const)(
  'a result of a %s tool that cannot be read is told as that of a call that ran, unless it only reads',
  async (effect, text, isError) => {
    verifies('tools.result.unreadable');
    const { tools } = source(() => undefined, effect);
    const result = await callTool(tools, callOf(text), context());
    expect(result.isError).toBe(isError);
    expect(result.forLLM.includes('ran to its end')).toBe(isError === undefined);
  },
);

test('the context of a call and what it runs with reach the function', async () => {
  const seen: unknown[] = [];
  const list = [search()];
  const tools = toToolset({
    list: () => list,
    async call(_call, { context: value, idempotencyKey, onProgress }) {
      seen.push(value, idempotencyKey);
      onProgress?.('half');
      return toolResult('found');
    },
  });
  const given = { ...context(), context: { user: 'ada' }, idempotencyKey: 'k' };
  await callTool(tools, callOf('{"queries":["a"]}'), { ...given, onProgress: (update) => seen.push(update) });
  expect(seen).toEqual([{ user: 'ada' }, 'k', 'half']);
});

test.each([undefined, true])('awaitsStarted of a source is that of its calls: %s', (awaitsStarted) => {
  const list = [search()];
  const tools = toToolset({ list: () => list, call: async () => toolResult('found'), awaitsStarted });
  expect((tools.prepare(callOf('{"queries":["a"]}'), context()) as PreparedCall).awaitsStarted).toBe(awaitsStarted);
});

const names = { answers: 'answers', throws: 'throws', hangs: 'hangs', stops: 'stops' };
let entered = 0;
const list = Object.freeze(
  Object.values(names).map((name): Tool => ({ name, description: name, parameters: { type: 'object' } })),
);
const conforming = () =>
  toToolset({
    list: () => list,
    async call({ name }, { signal }) {
      entered += 1;
      if (name === 'answers') return toolResult('ok');
      if (name === 'throws') throw new Error('it threw');
      return new Promise<ToolResult>((resolve) =>
        signal.addEventListener('abort', () =>
          resolve({ forLLM: 'stopped', isError: true, outcome: name === 'hangs' ? 'abandoned' : 'cancelled' }),
        ),
      );
    },
  });

for (const { name, run } of toolsetConformance(() => ({ toolset: conforming(), ...names, entered: () => entered })))
  // oxlint-disable-next-line vitest/expect-expect, vitest/valid-title -- the case has both
  test(name, run);

test('a call is prepared at once', () => {
  expect(isToolResult(source().tools.prepare(callOf('{"queries":["a"]}'), context()))).toBe(false);
});
