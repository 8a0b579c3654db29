import type { ToolCall } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import {
  collect,
  createMemorySession,
  loadHistory,
  repairHistory,
  runSession,
  type SessionEntry,
} from '../../src/index.ts';
import { expectSound, readAll, user } from '../support.ts';

const model = 'm';
const call = (id: string, name: string): ToolCall => ({ type: 'tool-call', id, name, arguments: '{}' });
const toolset = () => mockToolset([mockTool('reads', 'r'), mockTool('writes', 'w', { effect: 'write' })]);

test('a conversation goes on from its session, and the session equals the history of the run', async () => {
  const session = createMemorySession();
  const script = scriptedProvider([{ calls: [{ name: 'reads' }, { name: 'writes' }] }, { text: 'Done.' }]);
  const first = await collect(
    runSession({ session, provider: script, model, messages: [user('Go')], tools: toolset() }),
  );
  expect(await loadHistory(session)).toEqual(first.messages);
  const provider = scriptedProvider([{ text: 'Yes.' }]);
  await collect(runSession({ session, provider, model, messages: [user('Sure?')] }));
  expect(provider.streamRequests[0]?.messages).toEqual([...first.messages, user('Sure?')]);
});

test('a session cut after any entry is a valid history, and no write is ever run twice', async () => {
  verifies('agent.loop.resume');
  const session = createMemorySession();
  const script = () => [
    {
      calls: [
        { name: 'reads', id: '1' },
        { name: 'writes', id: '2' },
      ],
    },
    { text: 'Done.' },
  ];
  await collect(
    runSession({ session, provider: scriptedProvider(script()), model, messages: [user('Go')], tools: toolset() }),
  );
  const whole = await session.entries();
  for (let kept = 1; kept <= whole.length; kept += 1) {
    const entries = whole.slice(0, kept);
    const begun = entries.some((entry) => entry.type === 'call-start' && entry.callId === '2');
    const asked = entries.filter((entry) => entry.type === 'message' && entry.message.role === 'assistant').length;
    const tools = toolset();
    const resumed = createMemorySession(entries);
    const provider = scriptedProvider([...script().slice(asked), { text: 'Done.' }]);
    const result = await collect(runSession({ session: resumed, provider, model, tools }));
    expectSound(result.messages);
    expect(result.reason).toBe('done');
    expect(tools.calls.filter(({ name }) => name === 'writes')).toHaveLength(begun ? 0 : 1);
    expect(await loadHistory(resumed)).toEqual(repairHistory(result.messages));
  }
});

test('a call of a write tool that had begun when the process died has an unknown outcome', async () => {
  const entries: SessionEntry[] = [
    { type: 'message', message: user('Go') },
    { type: 'message', message: { role: 'assistant', content: [call('1', 'reads'), call('2', 'writes')] } },
    { type: 'call-start', callId: '1', name: 'reads', effect: 'read' },
    { type: 'call-start', callId: '2', name: 'writes', effect: 'write' },
  ];
  const tools = toolset();
  const result = await collect(
    runSession({ session: createMemorySession(entries), provider: scriptedProvider([{ text: 'ok' }]), model, tools }),
  );
  expect(tools.calls.map(({ name }) => name)).toEqual(['reads']);
  expectSound(result.messages);
  expect(result.messages[3]).toMatchObject({
    toolCallId: '2',
    isError: true,
    content: expect.stringContaining('OUTCOME_UNKNOWN'),
  });
});

test('a run that waits for approval goes on from its session with the decisions', async () => {
  verifies('agent.loop.approval.later');
  const session = createMemorySession();
  const tools = toolset();
  const first = await collect(
    runSession({
      session,
      provider: scriptedProvider([{ calls: [{ name: 'writes' }] }]),
      model,
      messages: [user('Go')],
      tools,
      approve: () => ({ decision: 'later' }),
    }),
  );
  expect(first.reason).toBe('approval');
  const restarted = createMemorySession(JSON.parse(JSON.stringify(await session.entries())) as SessionEntry[]);
  const second = await collect(
    runSession({
      session: restarted,
      provider: scriptedProvider([{ text: 'Written.' }]),
      model,
      tools,
      approve: () => ({ decision: 'allow' }),
    }),
  );
  expect(second).toMatchObject({ reason: 'done', answer: 'Written.' });
  expect(tools.calls).toHaveLength(1);
});

test('a write to the session that fails ends the run, and the call it announced does not run', async () => {
  const broken = {
    ...createMemorySession(),
    append: (entries: readonly SessionEntry[]) =>
      entries[0]?.type === 'call-start' ? Promise.reject(new Error('disk full')) : Promise.resolve(),
  };
  const tools = toolset();
  const provider = scriptedProvider([{ calls: [{ name: 'writes' }] }, { text: 'It failed.' }]);
  const result = await collect(runSession({ session: broken, provider, model, messages: [user('Go')], tools }));
  expect(tools.calls).toHaveLength(0);
  expect(result).toMatchObject({ reason: 'error', error: { message: expect.stringContaining('disk full') } });
  const full = { ...createMemorySession(), append: () => Promise.reject(new Error('disk full')) };
  await expect(readAll(runSession({ session: full, provider, model, messages: [user('Go')] }))).rejects.toThrow(
    'disk full',
  );
});
