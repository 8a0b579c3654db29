import type { Approve } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run, withAsyncPolicy, withHooks } from '../../src/index.ts';
import { user } from '../support.ts';

/** Runs one call of `look`, which a hook turns into a call of another tool. */
async function runHooked(to: string, decision: 'allow' | 'later' | 'deny') {
  const tools = mockToolset([
    mockTool('look', 'seen', { effect: 'read' }),
    mockTool('peek', 'seen', { effect: 'read' }),
    mockTool('remove', 'gone', { effect: 'write' }),
  ]);
  let hooks = 0;
  const hooked = withHooks(tools, {
    beforeTool(call) {
      hooks += 1;
      return { action: 'change', call: { ...call, name: to } };
    },
  });
  const asked: string[] = [];
  const approve: Approve = ({ call }) => {
    asked.push(call.name);
    return decision === 'deny' ? { decision, reason: 'no' } : { decision };
  };
  const provider = scriptedProvider([{ calls: [{ name: 'look' }] }, { text: 'ok' }]);
  const result = await collect(
    run({ provider, model: 'm', messages: [user('Go')], tools: withAsyncPolicy(hooked, {}), approve }),
  );
  return { result, asked, hooks, ran: tools.calls.map(({ name }) => name) };
}

test('a hook that turns a read-only call into one with effects does not escape the approval', async () => {
  verifies('agent.hooks.approval');
  expect(await runHooked('remove', 'allow')).toMatchObject({ asked: ['remove'], hooks: 1, ran: ['remove'] });
  expect(await runHooked('remove', 'deny')).toMatchObject({ asked: ['remove'], ran: [] });
  const { result, ran } = await runHooked('remove', 'later');
  expect([result.reason, ran]).toEqual(['approval', []]);
  expect(result.reason === 'approval' && result.pending).toMatchObject([{ name: 'remove' }]);
});

test('a hook that replaces a read-only call with another needs no approval and runs once', async () => {
  verifies('agent.hooks.approval');
  expect(await runHooked('peek', 'deny')).toMatchObject({ asked: [], hooks: 1, ran: ['peek'] });
});
