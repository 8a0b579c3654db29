import type { AgentEvent } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Step } from './fixtures/scripted-steps.ts';
import { allowAll, copies, deciding, fileOf, give, permission, project, scripted } from './support.ts';

const used = (tokens: number) => ({ update: { sessionUpdate: 'usage_update', used: tokens, size: 200_000 } });
const TOLD = { end: 'end_turn', usage: { totalTokens: 15, inputTokens: 10, outputTokens: 5 } };

test('what a turn has used is counted once, also when there are changes and requests', async () => {
  verifies('acp.usage');
  const changes = { disk: { 'a.txt': 'two\n' } };
  const workspace = await project({ 'a.txt': 'one\n' });
  const { end } = await give(scripted({ workspace }), [changes, { say: 'x' }, TOLD], allowAll());
  expect(end.usage).toMatchObject({ inputTokens: 10, outputTokens: 5 });
  const asks = permission({ kind: 'other', title: 't' });
  const steps = [used(1000), asks, used(3000), asks, used(2000), { disk: { 'a.txt': 'three\n' } }];
  const { end: told } = await give(scripted({ workspace }), steps, allowAll());
  expect(told.usage).toMatchObject({ inputTokens: 3000, outputTokens: 0 });
});

test('what an agent has used until a failure, or a decision that comes later, is counted', async () => {
  verifies('acp.usage');
  const workspace = await project();
  const { end, result } = await give(scripted({ workspace }), [used(1000), { fail: 'no' }], allowAll());
  expect(end.usage).toMatchObject({ inputTokens: 1000 });
  expect(result?.forLLM).toContain('The agent "helper" reports: no.');
  const { approve } = deciding(() => ({ decision: 'later' }));
  const later = await give(scripted({ workspace }), [used(1000), permission({ kind: 'other', title: 't' })], {
    approve,
  });
  expect(later.end).toMatchObject({ reason: 'approval', usage: { inputTokens: 1000 } });
});

test.each([
  ['tokens', { tokens: 100 }],
  ['cost', { cost: { max: 1, of: ({ inputTokens }: { readonly inputTokens: number }) => inputTokens / 100 } }],
])(
  'an agent that is beyond its limit of %s is ended while it works, and its changes are asked about',
  async (name, limits) => {
    verifies('acp.usage');
    const workspace = await project({ 'a.txt': 'one\n' });
    const steps = [
      { disk: { 'a.txt': 'two\n' } },
      used(99),
      { say: 'going on' },
      used(5000),
      { forever: true } as const,
    ];
    const { approve, asked } = allowAll();
    const { result, end } = await give(scripted({ workspace, limits }), steps, { approve });
    expect(result?.isError).toBe(true);
    expect(result?.forLLM).toContain(`(limit: ${name})`);
    expect(end.usage).toMatchObject({ inputTokens: 5000 });
    expect(asked.map((call) => call.name)).toEqual(['apply_patch']);
    const { result: unchanged } = await give(scripted({ workspace, limits }), steps.slice(1), { approve });
    expect(unchanged?.forLLM).toContain(`(limit: ${name})`);
  },
);

/** Virtual time, in which nothing passes but what a test lets pass. */
function virtualTime(): void {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
}

test('an agent that is beyond limits.timeMs is ended, and what it has changed by then is asked about and applied', async () => {
  verifies('acp.changes');
  virtualTime();
  const workspace = await project({ 'a.txt': 'one\n' });
  const binding = scripted({ workspace, limits: { timeMs: 90_000 } });
  const steps = [used(7), { disk: { 'a.txt': 'two\n' } }, { say: 'working' }, { forever: true } as const];
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'sub-agent-event' && event.event.type === 'text-delta') vi.advanceTimersByTime(90_000);
  };
  const { approve, asked } = allowAll();
  const { result, end } = await give(binding, steps, { approve, onEvent });
  expect(asked.map(({ name }) => name)).toEqual(['apply_patch']);
  expect(fileOf(workspace, 'a.txt')).toBe('two\n');
  expect(result?.isError).toBe(true);
  expect(result?.forLLM).toContain('LIMIT_REACHED: The agent had not ended after 90000 ms (limits.timeMs). Done (');
  expect(end.usage).toMatchObject({ inputTokens: 7 });
});

test('changes of an agent whose limits.timeMs is over while a question is open are asked about when that is answered', async () => {
  verifies('acp.changes');
  virtualTime();
  const workspace = await project({ 'a.txt': 'one\n' });
  const binding = scripted({ workspace, limits: { timeMs: 1000 } });
  const { approve, asked } = deciding(({ name }) => {
    if (name === 'agent_permission') vi.advanceTimersByTime(1000);
    return { decision: 'allow' };
  });
  const steps = [{ disk: { 'a.txt': 'two\n' } }, permission({ kind: 'other', title: 't' }), { forever: true } as const];
  const { result } = await give(binding, steps, { approve });
  expect(asked.map(({ name }) => name)).toEqual(['agent_permission', 'apply_patch']);
  expect(fileOf(workspace, 'a.txt')).toBe('two\n');
  expect(result?.forLLM).toContain('(limits.timeMs)');
});

test('a time that is over before the agent has begun ends the call with an error that names the limit, and leaves nothing behind', async () => {
  verifies('acp.changes');
  virtualTime();
  const workspace = await project();
  const slow = scripted({ workspace, flags: ['--mute'], limits: { timeMs: 1000, startMs: 60_000 } });
  const starting = give(slow, [], allowAll());
  while (vi.getTimerCount() < 2) await new Promise((resolve) => void setImmediate(resolve));
  vi.advanceTimersByTime(1000);
  expect((await starting).result?.forLLM).toContain('LIMIT_REACHED: The agent had not ended after 1000 ms');
  expect(copies()).toEqual([]);
});

/** Has an agent work until it says a word, and stops its call then, but not the run that it is a call of. */
async function stopped(steps: readonly Step[]) {
  const controller = new AbortController();
  const binding = scripted({ workspace: await project() });
  const handler: typeof binding.handler = (input, context) =>
    binding.handler(input, { ...context, signal: controller.signal });
  const onEvent = (event: AgentEvent): void => {
    if (event.type === 'sub-agent-event' && event.event.type === 'text-delta') controller.abort();
  };
  const { end, result } = await give({ ...binding, handler }, steps, { ...allowAll(), onEvent });
  expect(result?.isError).toBe(true);
  return end.usage;
}

test('what an agent tells that it has used when it is stopped is counted, and until it tells that what it had told before', async () => {
  verifies('acp.usage');
  const before: readonly Step[] = [used(1000), { say: 'working' }];
  const usage = { totalTokens: 3007, inputTokens: 3000, outputTokens: 7 };
  expect(await stopped([...before, { cancelledWith: usage }])).toMatchObject({ inputTokens: 3000, outputTokens: 7 });
  const updates = [used(1500).update, used(1200).update];
  expect(await stopped([...before, { cancelledWith: null, updates }])).toMatchObject({ inputTokens: 1500 });
  expect(await stopped([...before, { forever: true }])).toMatchObject({ inputTokens: 1000, outputTokens: 0 });
});
