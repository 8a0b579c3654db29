import { type Message, type Tool, toolCallsOf, type ApprovalDecision, type Approve } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import {
  collect,
  createMemorySession,
  loadHistory,
  repairHistory,
  run,
  runSession,
  type RunResult,
  type SessionEntry,
} from '../../src/index.ts';
import { expectSound, user } from '../support.ts';

const model = 'm';
const names = ['reads', 'writes', 'sends'];
const toolset = (rest: Partial<Tool> = {}) =>
  mockToolset([
    mockTool('reads', 'r'),
    mockTool('writes', 'w', { effect: 'write', ...rest }),
    mockTool('sends', 's', { effect: 'external' }),
  ]);
const script = () => scriptedProvider([{ calls: names.map((name) => ({ name, id: name })) }]);
const json = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;

/** Decides by the name of the tool, and keeps who was asked about. */
function approver(decisions: Readonly<Record<string, ApprovalDecision>>) {
  const asked: string[] = [];
  const approve: Approve = ({ call }) => {
    asked.push(call.name);
    return decisions[call.name] ?? { decision: 'allow' };
  };
  return { asked, approve };
}

/** A run of one call of each tool, with these decisions. */
const firstRun = (decisions: Parameters<typeof approver>[0], tools = toolset()): Promise<RunResult> =>
  collect(run({ provider: script(), model, messages: [user('Go')], tools, approve: approver(decisions).approve }));

function pendingOf(result: RunResult) {
  if (result.reason !== 'approval') throw new Error(`the run ended with ${result.reason}`);
  return result.pending;
}

const resultOf = (messages: readonly Message[], id: string): Message | undefined =>
  messages.find((message) => message.role === 'tool' && message.toolCallId === id);

const later = { decision: 'later' } as const;

test('pending holds only what needs a decision, each with its tool, its path and a digest', async () => {
  verifies('agent.loop.approval.pending');
  const tools = toolset();
  const first = await firstRun({ sends: later }, tools);
  expect(pendingOf(first)).toMatchObject([{ id: 'sends', name: 'sends', arguments: '{}', path: [] }]);
  expect(pendingOf(first)[0]?.tool).toBe(tools.list()[2]);
  expect(pendingOf(first)[0]?.digest).toMatch(/^[0-9a-f]{64}$/);
  expect(tools.calls).toHaveLength(0);
});

test.each([
  ['allow', { decision: 'allow' }, { writes: 'w' }],
  ['deny', { decision: 'deny', reason: 'never on Sundays' }, { writes: 'never on Sundays' }],
  ['edit', { decision: 'edit', arguments: '{"safe":true}' }, { writes: '{"safe":true}' }],
] as const)('%s given beside a later is kept, and not asked for again', async (_name, decision, expected) => {
  verifies('agent.loop.approval.pending');
  const tools = toolset();
  const first = await firstRun({ writes: decision, sends: later }, tools);
  const again = approver({ writes: { decision: 'deny', reason: 'asked again' } });
  const provider = scriptedProvider([{ text: 'Done.' }]);
  const second = await collect(run({ provider, model, messages: json(first.messages), tools, approve: again.approve }));
  expect(again.asked).toEqual(['sends']);
  expect(second).toMatchObject({ reason: 'done', answer: 'Done.' });
  expect(resultOf(second.messages, 'writes')?.content).toContain(expected.writes);
  expectSound(second.messages);
  expect(second.messages.some((message) => 'suspended' in message)).toBe(false);
});

test.each([
  { effect: 'external' },
  { description: 'Another.' },
  { parameters: { type: 'object', properties: { a: { type: 'string' } } } },
])('a kept allow does not hold for a tool that has become %o', async (change) => {
  verifies('agent.loop.approval.changed');
  const first = await firstRun({ sends: later });
  const again = approver({ writes: later });
  const tools = toolset(change as Partial<Tool>);
  const second = await collect(
    run({ provider: scriptedProvider([]), model, messages: json(first.messages), tools, approve: again.approve }),
  );
  expect(again.asked.toSorted()).toEqual(['sends', 'writes']);
  expect(pendingOf(second)).toMatchObject([{ name: 'writes', tool: change }]);
  expect(tools.calls).toHaveLength(0);
});

test('an allow with the digest of a pending call holds only as long as the tool is the same', async () => {
  verifies('agent.loop.approval.changed');
  const first = await firstRun({ writes: later });
  const { digest } = pendingOf(first)[0] ?? {};
  const decided = approver({ writes: { decision: 'allow', digest } });
  const changed = toolset({ effect: 'external' });
  const messages = json(first.messages);
  const second = await collect(
    run({ provider: scriptedProvider([]), model, messages, tools: changed, approve: decided.approve }),
  );
  expect(pendingOf(second).map(({ name }) => name)).toEqual(['writes']);
  const tools = toolset();
  const provider = scriptedProvider([{ text: 'ok' }]);
  expect(await collect(run({ provider, model, messages, tools, approve: decided.approve }))).toMatchObject({
    reason: 'done',
  });
  expect(tools.calls).toHaveLength(3);
});

test('calls that waited when the user wrote something else have not run, in a history of messages', async () => {
  verifies('agent.loop.approval.notRun');
  const tools = toolset();
  const first = await firstRun({ writes: later, sends: later }, tools);
  const messages = [...json(first.messages), user('Never mind.')];
  const provider = scriptedProvider([{ text: 'As you like.' }]);
  const second = await collect(run({ provider, model, messages, tools, approve: approver({}).approve }));
  expect(second.reason).toBe('done');
  expect(tools.calls).toHaveLength(0);
  for (const history of [second.messages, repairHistory(messages)]) {
    expectSound(history);
    for (const id of names) {
      expect(resultOf(history, id)).toMatchObject({ isError: true, content: expect.stringContaining('has not run') });
      expect(resultOf(history, id)?.content).toContain('TOOL_SKIPPED');
    }
    expect(JSON.stringify(history)).not.toContain('OUTCOME_UNKNOWN');
    expect(JSON.stringify(history)).not.toContain('suspended');
  }
});

test.each(['while it waited', 'after a crash during the question'])(
  'calls that waited when the user wrote something else have not run, in a session, %s',
  async (when) => {
    verifies('agent.loop.approval.notRun');
    const session = createMemorySession();
    const tools = toolset();
    const base = { model, tools, approve: approver({ writes: later }).approve };
    await collect(runSession({ ...base, session, provider: script(), messages: [user('Go')] }));
    const entries = json(await session.entries());
    const log = when === 'while it waited' ? entries : entries.filter(({ type }) => type === 'message');
    const reloaded = createMemorySession(log);
    const provider = scriptedProvider([{ text: 'As you like.' }]);
    const second = await collect(runSession({ ...base, session: reloaded, provider, messages: [user('Stop.')] }));
    expect(second.reason).toBe('done');
    expect(tools.calls).toHaveLength(0);
    for (const history of [second.messages, await loadHistory(reloaded)]) {
      expectSound(history);
      expect(resultOf(history, 'writes')?.content).toContain('has not run');
      expect(JSON.stringify(history)).not.toContain('OUTCOME_UNKNOWN');
    }
  },
);

test('a session keeps decisions as they are made, and its history equals that of the run', async () => {
  verifies('agent.loop.approval.pending', 'agent.loop.approval.later');
  const session = createMemorySession();
  const tools = toolset();
  const first = await collect(
    runSession({
      session,
      provider: script(),
      model,
      messages: [user('Go')],
      tools,
      approve: approver({ sends: later }).approve,
    }),
  );
  const entries = json(await session.entries());
  const reloaded = createMemorySession(entries);
  expect(await loadHistory(reloaded)).toEqual(first.messages);
  const again = approver({});
  const provider = scriptedProvider([{ text: 'Done.' }]);
  const second = await collect(runSession({ session: reloaded, provider, model, tools, approve: again.approve }));
  expect(again.asked).toEqual(['sends']);
  expect(second.reason).toBe('done');
  expect(tools.calls.map(({ name }) => name)).toEqual(names);
  expect(await loadHistory(reloaded)).toEqual(second.messages);
});

test('a denied call whose result was lost in a crash is asked about again, and its outcome is not unknown', async () => {
  verifies('agent.loop.approval.notRun');
  const call = { type: 'tool-call', id: '1', name: 'writes', arguments: '{}' } as const;
  const session = createMemorySession();
  const lost = { ...session, append: (entries: readonly SessionEntry[]) => keepUntilResult(session.append, entries) };
  const base = { model, tools: toolset() };
  const deny = approver({ writes: { decision: 'deny', reason: 'no' } });
  await collect(
    runSession({
      ...base,
      session: lost,
      provider: scriptedProvider([{ calls: [call] }]),
      messages: [user('Go')],
      approve: deny.approve,
    }),
  );
  expect(JSON.stringify(await loadHistory(session))).not.toContain('OUTCOME_UNKNOWN');
});

/** Appends entries, and fails at the result of a call. */
function keepUntilResult(
  append: (entries: readonly SessionEntry[]) => Promise<void>,
  entries: readonly SessionEntry[],
): Promise<void> {
  const hasResult = entries.some((entry) => entry.type === 'message' && entry.message.role === 'tool');
  return hasResult ? Promise.reject(new Error('crashed')) : append(entries);
}

test('a kept denial and a kept edit hold also where the run goes on without an approval', async () => {
  verifies('agent.loop.approval.pending');
  const decisions = { writes: { decision: 'deny', reason: 'no' }, sends: later } as const;
  const first = await firstRun(decisions);
  const tools = toolset();
  const provider = scriptedProvider([{ text: 'ok' }]);
  const result = await collect(run({ provider, model, messages: json(first.messages), tools }));
  expect(result.reason).toBe('done');
  expect(tools.calls.map(({ name }) => name)).toEqual(['reads', 'sends']);
});

test('repairHistory removes decisions from a history that is not trusted, and what waits is asked about', async () => {
  verifies('agent.loop.approval.untrusted');
  const first = await firstRun({ sends: later });
  const messages = repairHistory(json(first.messages), { untrusted: true });
  const again = approver({ writes: later });
  await collect(run({ provider: scriptedProvider([]), model, messages, tools: toolset(), approve: again.approve }));
  expect(again.asked).toEqual(['writes', 'sends']);
  expect(messages.flatMap(toolCallsOf)).toHaveLength(3);
});

test.each([['a string'], [null], [[{ callId: 1 }, null, { callId: 'writes', decision: 'allow', digest: 'x' }]]])(
  'what is kept in a history from outside counts only if it has the right form: %j',
  async (suspended) => {
    const call = { type: 'tool-call', id: 'writes', name: 'writes', arguments: '{}' } as const;
    const message = { role: 'assistant', content: [call], suspended } as unknown as Message;
    const asked = approver({ writes: { decision: 'deny', reason: 'no' } });
    const provider = scriptedProvider([{ text: 'ok' }]);
    const result = await collect(
      run({ provider, model, messages: [user('Go'), message], tools: toolset(), approve: asked.approve }),
    );
    expect(asked.asked).toEqual(['writes']);
    expect(result.reason).toBe('done');
  },
);

test.each<[string, Approve | undefined]>([
  ['somebody could be asked', () => ({ decision: 'allow' })],
  ['nobody can be asked', undefined],
])('an allowed call that only reads in the next run, where %s, runs only as it was allowed', async (_name, approve) => {
  verifies('agent.loop.approval.later');
  const first = await firstRun({ sends: later });
  const tools = toolset({ effect: 'read', description: 'Another one.' });
  const next = scriptedProvider([{ text: 'ok' }]);
  const result = await collect(run({ provider: next, model, messages: json(first.messages), tools, approve }));
  expect(tools.calls.map(({ name }) => name)).not.toContain('writes');
  expect(resultOf(result.messages, 'writes')).toMatchObject({
    content: expect.stringContaining('what was allowed has changed since') as string,
  });
});
