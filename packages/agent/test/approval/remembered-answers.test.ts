import { type Approve, type ToolCall, wrapCalls } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, onTestFinished, test, vi } from 'vitest';
import { collect, rememberApprovals, run } from '../../src/index.ts';
import { user } from '../support.ts';

const { tool } = mockTool('pay', 'x', { effect: 'write' });
const callOf = (text: string, id = '1'): ToolCall => ({ type: 'tool-call', id, name: 'pay', arguments: text });
const request = (text: string, signal = new AbortController().signal) => ({
  call: callOf(text),
  tool,
  path: [],
  digest: 'd',
  signal,
});

const DIFFERENT = [
  ['{"id":9007199254740993}', '{"id":9007199254740992}'],
  ['{"id":1,"id":2}', '{"id":2}'],
  ['{"id":1e400}', '{"id":null}'],
] as const;

test.each(DIFFERENT)('an allow of %s is none of %s, and is asked about again', async (one, other) => {
  verifies('agent.approval.remembered');
  let count = 0;
  const approve = rememberApprovals(() => ({ decision: (count += 1) > 0 ? 'allow' : 'later' }));
  for (const text of [one, other, one, other]) await approve(request(text)); // oxlint-disable-line no-await-in-loop
  expect(count).toBe(2);
});

test('an allow is none of a call that is shown alike and was given other arguments', async () => {
  verifies('agent.approval.remembered');
  const inner = mockToolset([mockTool('pay', 'x', { effect: 'write' })]);
  // As a schema library may make of them what JSON cannot tell apart.
  const tools = wrapCalls(inner, (prepared) => ({ ...prepared, arguments: '{}' }));
  const digests: string[] = [];
  const approve = rememberApprovals(({ digest }) => {
    digests.push(digest);
    return { decision: 'allow' };
  });
  const calls = ['{"to":"bob"}', '{"to":"eve"}', '{ "to": "bob" }'].map((text) => [{ name: 'pay', arguments: text }]);
  const provider = scriptedProvider([...calls.map((each) => ({ calls: each })), { text: 'ok' }]);
  await collect(run({ provider, model: 'm', messages: [user('Go')], tools, approve, limits: { repeats: false } }));
  expect(digests).toHaveLength(2);
  expect(new Set(digests).size).toBe(2);
});

test('an allow that came after the end of the time, or to another question, is not remembered', async () => {
  verifies('agent.approval.remembered');
  let count = 0;
  const stop = new AbortController();
  const late = rememberApprovals(async () => {
    if ((count += 1) === 1) stop.abort();
    return { decision: 'allow' };
  });
  await late(request('{}', stop.signal));
  await late(request('{}'));
  expect(count).toBe(2);
  const stale = rememberApprovals(() => ({ decision: 'allow', digest: (count += 1) < 4 ? 'other' : 'd' }));
  for (let question = 0; question < 4; question += 1) await stale(request('{}')); // oxlint-disable-line no-await-in-loop
  expect(count).toBe(4);
});

test('an allow that blocked the thread beyond approvalTimeoutMs is not remembered', async () => {
  verifies('agent.approval.remembered');
  let count = 0;
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  onTestFinished(() => clock.mockRestore());
  // Time passes, and no timer can fire: the thread is blocked.
  const approve: Approve = rememberApprovals(() => {
    if ((count += 1) === 1) now += 60_001;
    return { decision: 'allow' };
  });
  const tools = mockToolset([mockTool('pay', 'x', { effect: 'write' })]);
  const provider = scriptedProvider([{ calls: [{ name: 'pay' }] }, { calls: [{ name: 'pay' }] }, { text: 'ok' }]);
  await collect(run({ provider, model: 'm', messages: [user('Go')], tools, approve, approvalTimeoutMs: 60_000 }));
  expect([count, tools.calls.length]).toEqual([2, 1]);
});
