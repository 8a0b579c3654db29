import type { Approve } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run } from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const toolset = () =>
  mockToolset([
    mockTool('reads', 'r'),
    mockTool('repeats', 'i', { effect: 'idempotent' }),
    mockTool('writes', 'w', { effect: 'write' }),
    mockTool('sends', 'e', { effect: 'external' }),
    { ...mockTool('silent', 's'), tool: { name: 'silent', description: '', parameters: { type: 'object' } } },
  ]);
const all = ['reads', 'repeats', 'writes', 'sends', 'silent'];
const script = () => scriptedProvider([{ calls: all.map((name) => ({ name, id: name })) }, { text: 'ok' }]);
const go = (approve?: Approve, tools = toolset()) =>
  collect(run({ provider: script(), model: 'm', messages: [user('Go')], tools, approve })).then((result) => ({
    result,
    tools,
  }));

test('is asked about every effect but read; without it every call runs', async () => {
  verifies('agent.loop.approval.default', 'tool.effect');
  const asked: string[] = [];
  const { tools } = await go(({ call }) => {
    asked.push(call.name);
    return { decision: 'allow' };
  });
  expect(asked).toEqual(['repeats', 'writes', 'sends', 'silent']);
  expect(tools.calls).toHaveLength(5);
  expect((await go()).tools.calls).toHaveLength(5);
});

test('is asked before any effect of the batch', async () => {
  verifies('agent.loop.approval');
  const tools = toolset();
  await go(() => {
    expect(tools.calls).toHaveLength(0);
    return { decision: 'allow' };
  }, tools);
  expect(tools.calls).toHaveLength(5);
});

test.each([
  ['a refusal', () => ({ decision: 'deny', reason: 'not on Sundays' }), 'not on Sundays'],
  [
    'a throw',
    () => {
      throw new Error('the prompt broke');
    },
    'the prompt broke',
  ],
  ['nonsense', () => 'yes', 'no valid decision'],
  ['a deny without a reason', () => ({ decision: 'deny' }), 'no valid decision'],
] as unknown as [string, Approve, string][])('%s denies, and the model reads why', async (_name, approve, why) => {
  verifies('agent.loop.approval');
  const { result, tools } = await go(approve);
  expect(tools.calls.map((call) => call.name)).toEqual(['reads']);
  const denied = result.messages.filter((message) => message.role === 'tool' && message.isError);
  expect(denied).toHaveLength(4);
  for (const message of denied) {
    expect(message.content).toContain('TOOL_DENIED');
    expect(message.content).toContain(why);
  }
});

test('edited arguments are the ones that run, and the model reads so', async () => {
  const { result, tools } = await go(() => ({ decision: 'edit', arguments: '{"safe":true}' }));
  expect(tools.calls.find((call) => call.name === 'writes')?.arguments).toBe('{"safe":true}');
  expect(tools.calls.find((call) => call.name === 'reads')?.arguments).toBe('{}');
  expect(result.messages.find((message) => message.role === 'tool' && message.name === 'writes')?.content).toContain(
    '{"safe":true}',
  );
});

test('later ends the run with the pending calls, from which a later run goes on', async () => {
  verifies('agent.loop.approval.later');
  const { result: first, tools } = await go(({ call }) =>
    call.name === 'sends' ? { decision: 'later' } : { decision: 'allow' },
  );
  expect(first.reason).toBe('approval');
  expect(first.reason === 'approval' && first.pending.map((call) => call.name)).toEqual(['sends']);
  expect(tools.calls).toHaveLength(0);
  const provider = scriptedProvider([{ text: 'Sent.' }]);
  const stored = JSON.parse(JSON.stringify(first.messages)) as typeof first.messages;
  const second = await collect(
    run({ provider, model: 'm', messages: stored, tools, approve: () => ({ decision: 'allow' }) }),
  );
  expect(second).toMatchObject({ reason: 'done', answer: 'Sent.' });
  expect(tools.calls.map((call) => call.name)).toEqual(all);
  expectSound(second.messages);
});

test('a call that its toolset prepares without offering the tool never runs unasked', async () => {
  const tools = { ...toolset(), list: () => [] };
  const { result } = await go(() => ({ decision: 'deny', reason: 'not now' }), tools);
  expect(tools.calls.map(({ name }) => name)).toEqual(['reads']);
  expect(result.messages.filter((message) => message.role === 'tool' && message.isError)).toHaveLength(4);
});

test('an approval that never answers cannot hold an aborted run', async () => {
  const stop = new AbortController();
  setTimeout(() => stop.abort(), 10);
  const tools = toolset();
  const approve: Approve = () => new Promise(() => {});
  const result = await collect(
    run({ provider: script(), model: 'm', messages: [user('Go')], tools, approve, signal: stop.signal }),
  );
  expect(result.reason).toBe('aborted');
  expect(tools.calls).toHaveLength(0);
  expectSound(result.messages);
});
