import { type PendingCall, type ToolCall, type Toolset, type ApprovalDecision, type Approve } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import {
  agentAsTool,
  type AgentAsToolOptions,
  type AgentBinding,
  collect,
  createMemorySession,
  loadHistory,
  run,
  runSession,
  type RunResult,
  runTeam,
  type SessionEntry,
} from '../../src/index.ts';
import { endOf, expectSound, readAll, toolsetOf, user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

skipTime();

const model = 'm';
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
const ask = (name: string, id: string, task = 'Do it.') => ({ name, id, arguments: { task } });

function agent(
  name: string,
  script: readonly ScriptStep[],
  tools: Toolset,
  rest: Partial<AgentAsToolOptions> = {},
): AgentBinding {
  return agentAsTool({ name, description: '', run: { provider: scriptedProvider(script), model, tools }, ...rest });
}

const inner = () =>
  mockToolset([
    mockTool('looks', 'seen'),
    mockTool('deletes', 'gone', { effect: 'write' }),
    mockTool('sends', 'sent', { effect: 'external' }),
  ]);

/** Answers by path and id of a call, and keeps what was asked. */
function approver(decisions: Readonly<Record<string, ApprovalDecision>>) {
  const asked: string[] = [];
  const approve: Approve = ({ call, path }) => {
    const key = [...path, call.id].join('/');
    asked.push(key);
    return decisions[key] ?? { decision: 'allow' };
  };
  return { asked, approve };
}

const later = { decision: 'later' } as const;
const keyOf = ({ path, id }: PendingCall): string => [...path, id].join('/');
const pendingKeys = (result: RunResult): readonly string[] =>
  result.reason === 'approval' ? result.pending.map(keyOf) : [result.reason];
const callNames = (calls: readonly ToolCall[]): readonly string[] => calls.map(({ name }) => name);

test('later inside an agent ends the outer run with approval, and a decision resumes both levels', async () => {
  verifies('agent.loop.approval.agents');
  const tools = inner();
  const first = await collect(
    run({
      provider: scriptedProvider([{ calls: [ask('helper', 'o1')] }]),
      model,
      messages: [user('Go')],
      tools: toolsetOf([
        agent('helper', [{ calls: [{ name: 'looks', id: 'i0' }] }, { calls: [{ name: 'deletes', id: 'i1' }] }], tools),
      ]),
      approve: approver({ 'o1/i1': later }).approve,
    }),
  );
  expect(pendingKeys(first)).toEqual(['o1/i1']);
  expect(first).toMatchObject({
    pending: [{ name: 'deletes', tool: { effect: 'write' }, path: ['o1'] }],
    toolCalls: [],
  });
  expect(callNames(tools.calls)).toEqual(['looks']);

  // Another process: the providers go on where the recorded ones stopped.
  const again = approver({});
  const second = await collect(
    run({
      provider: scriptedProvider([{ text: 'All is done.' }]),
      model,
      messages: json(first.messages),
      tools: toolsetOf([agent('helper', [{ text: 'Deleted.' }], tools)]),
      approve: again.approve,
    }),
  );
  expect(again.asked).toEqual(['o1/i1']);
  expect(second).toMatchObject({ reason: 'done', answer: 'All is done.' });
  expect(callNames(tools.calls)).toEqual(['looks', 'deletes']);
  expectSound(second.messages);
  expect(second.messages.find(({ role }) => role === 'tool')).toMatchObject({ content: 'Deleted.' });
  expect(JSON.stringify(second.messages)).not.toContain('suspended');
});

test('two agents side by side wait each for their own, beside a call that is done, and nothing runs twice', async () => {
  verifies('agent.loop.approval.agents');
  const tools = inner();
  const direct = mockToolset([mockTool('notes', 'noted', { effect: 'write' })]);
  const waits: readonly ScriptStep[] = [
    {
      calls: [
        { name: 'looks', id: 'i1' },
        { name: 'deletes', id: 'i2' },
        { name: 'sends', id: 'i3' },
      ],
    },
  ];
  const agents = (steps: readonly ScriptStep[]) =>
    toolsetOf([agent('left', steps, tools), agent('right', steps, tools)], direct);
  const session = createMemorySession();
  const first = await collect(
    runSession({
      session,
      provider: scriptedProvider([{ calls: [ask('left', 'l'), ask('right', 'r'), { name: 'notes', id: 'n' }] }]),
      model,
      messages: [user('Go')],
      tools: agents(waits),
      approve: approver({
        'l/i2': { decision: 'deny', reason: 'keep it' },
        'l/i3': later,
        'r/i2': later,
        'r/i3': later,
      }).approve,
    }),
  );
  expect(pendingKeys(first)).toEqual(['l/i3', 'r/i2', 'r/i3']);
  expect(callNames([...tools.calls, ...direct.calls])).toEqual(['notes']);

  let entries = json(await session.entries());
  const resume = async (
    decisions: Readonly<Record<string, ApprovalDecision>>,
    steps: readonly ScriptStep[],
    last: readonly ScriptStep[],
  ) => {
    const reloaded = createMemorySession(entries);
    const again = approver(decisions);
    const provider = scriptedProvider(last);
    const result = await collect(
      runSession({ session: reloaded, provider, model, tools: agents(steps), approve: again.approve }),
    );
    entries = json(await reloaded.entries()) as SessionEntry[];
    expect(await loadHistory(reloaded)).toEqual(result.messages);
    return { asked: again.asked, result };
  };
  const second = await resume({ 'r/i3': later }, [{ text: 'Left is done.' }], []);
  expect(second.asked.toSorted()).toEqual(['l/i3', 'r/i2', 'r/i3']);
  expect(pendingKeys(second.result)).toEqual(['r/i3']);
  expect(callNames(tools.calls)).toEqual(['looks', 'sends']);

  const third = await resume({}, [{ text: 'Right is done.' }], [{ text: 'All is done.' }]);
  expect(third.asked).toEqual(['r/i3']);
  expect(third.result).toMatchObject({ reason: 'done', answer: 'All is done.' });
  expect(callNames(tools.calls)).toEqual(['looks', 'sends', 'looks', 'deletes', 'sends']);
  expect(callNames(direct.calls)).toEqual(['notes']);
  expectSound(third.result.messages);
});

test('an agent of an agent waits with its whole path', async () => {
  verifies('agent.loop.approval.agents');
  const tools = inner();
  const levels = (deepest: readonly ScriptStep[], middle: readonly ScriptStep[]) =>
    toolsetOf([agent('outer', middle, toolsetOf([agent('deep', deepest, tools)]))]);
  const first = await collect(
    run({
      provider: scriptedProvider([{ calls: [ask('outer', 'a')] }]),
      model,
      messages: [user('Go')],
      tools: levels([{ calls: [{ name: 'deletes', id: 'c' }] }], [{ calls: [ask('deep', 'b')] }]),
      approve: approver({ 'a/b/c': later }).approve,
    }),
  );
  expect(pendingKeys(first)).toEqual(['a/b/c']);
  const again = approver({});
  const second = await collect(
    run({
      provider: scriptedProvider([{ text: 'top' }]),
      model,
      messages: json(first.messages),
      tools: levels([{ text: 'deep' }], [{ text: 'middle' }]),
      approve: again.approve,
    }),
  );
  expect(again.asked).toEqual(['a/b/c']);
  expect(second).toMatchObject({ reason: 'done', answer: 'top' });
  expect(callNames(tools.calls)).toEqual(['deletes']);
});

test('an agent that waits when the user writes something else has not finished', async () => {
  verifies('agent.loop.approval.notRun', 'agent.loop.approval.agents');
  const tools = inner();
  const session = createMemorySession();
  const base = { model, tools: toolsetOf([agent('helper', [{ calls: [{ name: 'deletes', id: 'i' }] }], tools)]) };
  const { approve } = approver({ 'o/i': later });
  const provider = scriptedProvider([{ calls: [ask('helper', 'o')] }, { text: 'As you like.' }]);
  await collect(runSession({ ...base, session, provider, messages: [user('Go')], approve }));
  const result = await collect(runSession({ ...base, session, provider, messages: [user('Stop.')], approve }));
  expect(tools.calls).toHaveLength(0);
  expect(result.reason).toBe('done');
  expectSound(result.messages);
  expect(result.messages.find(({ role }) => role === 'tool')).toMatchObject({
    isError: true,
    content: expect.stringContaining('"helper" has not finished'),
  });
});

test('a crash after an agent went on does not repeat what it may have done', async () => {
  verifies('agent.loop.approval.agents');
  const tools = inner();
  const session = createMemorySession();
  const base = {
    model,
    messages: [user('Go')],
    tools: toolsetOf([agent('helper', [{ calls: [{ name: 'deletes', id: 'i' }] }], tools, { effect: 'read' })]),
  };
  const provider = scriptedProvider([{ calls: [ask('helper', 'o')] }]);
  await collect(runSession({ ...base, session, provider, approve: approver({ 'o/i': later }).approve }));
  await session.append([{ type: 'call-start', callId: 'o', name: 'helper', effect: 'read' }]);
  expect(JSON.stringify(await loadHistory(session))).toContain('OUTCOME_UNKNOWN');
});

test('the events pair: a call that waits ends with the outcome pending', async () => {
  verifies('agent.loop.events');
  const tools = toolsetOf([agent('helper', [{ calls: [{ name: 'deletes', id: 'i' }] }], inner())]);
  const events = await readAll(
    run({
      provider: scriptedProvider([{ calls: [ask('helper', 'o')] }]),
      model,
      messages: [user('Go')],
      tools,
      approve: approver({ 'o/i': later }).approve,
    }),
  );
  expect(endOf(events).reason).toBe('approval');
  expect(events.filter(({ type }) => type === 'tool-start')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'tool-end')).toMatchObject([{ result: { outcome: 'pending' } }]);
});

test('an agent in the background cannot wait: later denies, and its model reads why', async () => {
  verifies('agent.loop.approval.agents');
  const tools = inner();
  const script = [{ calls: [{ name: 'deletes', id: 'i' }] }, { text: 'I may not.' }];
  const provider = scriptedProvider([
    { calls: [ask('helper', 'o')] },
    { text: 'It has begun.', delayMs: 20 },
    { text: 'ok' },
  ]);
  const result = await collect(
    run({
      provider,
      model,
      messages: [user('Go')],
      tools: toolsetOf([agent('helper', script, tools, { background: true })]),
      approve: approver({ 'o/i': later }).approve,
    }),
  );
  expect(result.reason).toBe('done');
  expect(tools.calls).toHaveLength(0);
  expect(JSON.stringify(result.messages)).toContain('I may not.');
});

test('a team goes on with the member that waits', async () => {
  verifies('agent.loop.approval.agents');
  const tools = inner();
  const members = (sales: readonly ScriptStep[], support: readonly ScriptStep[], approve: Approve) =>
    new Map([
      ['sales', { description: '', run: { provider: scriptedProvider(sales), model } }],
      ['support', { description: '', run: { provider: scriptedProvider(support), model, tools, approve } }],
    ]);
  const first = endOf(
    await readAll(
      runTeam({
        members: members(
          [{ calls: [{ name: 'hand_off_to_support' }] }],
          [{ calls: [{ name: 'deletes', id: 'd' }] }],
          () => later,
        ),
        first: 'sales',
        messages: [user('It is broken.')],
      }),
    ),
  );
  expect(first).toMatchObject({ reason: 'approval', pending: [{ id: 'd', path: [] }] });
  const second = endOf(
    await readAll(
      runTeam({
        members: members([], [{ text: 'Repaired.' }], () => ({ decision: 'allow' })),
        first: 'sales',
        messages: json(first.messages),
      }),
    ),
  );
  expect(second).toMatchObject({ reason: 'done', answer: 'Repaired.' });
  expect(callNames(tools.calls)).toEqual(['deletes']);
});
