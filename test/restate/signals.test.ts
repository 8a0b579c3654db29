import type { AgentEvent, JsonValue, Provider } from '@kernel/protocol';
import { run } from '@kernel/agent';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { call, modelOf, toolset } from './fixtures/agents.ts';
import { agentOf, step } from './fixtures/steps.ts';
import { gate, messages, useEngine } from './support.ts';

const engine = useEngine();
const later = () => ({ decision: 'later' }) as const;
const model = 'm';

/** An agent that pays once, after somebody allowed it. */
function payer(entered: string[] = []) {
  const provider = modelOf([{ calls: [call('pay', 'p1')] }, { text: 'ok' }]);
  return (context: Parameters<Parameters<typeof engine.serve>[1]['run']>[0]) =>
    run({ provider, model, tools: toolset(context.runId, (runId) => void entered.push(runId)), ...context });
}

test('a call waits for the first decision, holds nothing in a worker meanwhile, and a denial is told', async () => {
  verifies('restate.approvals');
  const entered: string[] = [];
  const runs = await engine.serve('asks', { approve: later, run: payer(entered) }, { inactivityTimeoutMs: 100 });
  await runs.start('x', { messages });
  await runs.start('y', { messages });
  await expect.poll(async () => (await runs.waiting()).length).toBe(2);
  expect(await runs.waiting('x')).toMatchObject([
    { runId: 'x', callId: 'p1', kind: 'approval', call: { name: 'pay' } },
  ]);
  await expect.poll(() => engine.isSuspended('asks', 'x')).toBe(true);
  expect((await runs.status('x'))?.status).toBe('waiting');
  expect(await runs.decide('x', 'p1', { decision: 'deny', reason: 'too much' })).toBe(true);
  expect(await runs.decide('x', 'p1', { decision: 'allow' })).toBe(false);
  expect(JSON.stringify((await runs.result('x')).result?.messages)).toContain('too much');
  expect(await runs.decide('y', 'p1', { decision: 'allow' })).toBe(true);
  expect((await runs.result('y')).status).toBe('done');
  expect(entered).toEqual(['y']);
  expect(await runs.waiting()).toEqual([]);
  expect(await runs.decide('y', 'p1', { decision: 'allow' })).toBe(false);
});

test('a decision that comes before its run counts', async () => {
  verifies('restate.approvals');
  const runs = await engine.serve('early', { approve: later, run: payer() });
  expect(await runs.decide('x', 'p1', { decision: 'allow' })).toBe(true);
  await runs.start('x', { messages });
  expect((await runs.result('x')).status).toBe('done');
});

test('a decision for another call than the one that waits leaves it waiting, and the next one counts', async () => {
  verifies('restate.approvals');
  const runs = await engine.serve('digests', { approve: later, run: payer() });
  await runs.start('x', { messages });
  await expect.poll(() => runs.waiting('x')).toHaveLength(1);
  expect(await runs.decide('x', 'p1', { decision: 'allow', digest: 'of another call' })).toBe(true);
  await expect.poll(() => runs.waiting('x')).toHaveLength(1);
  expect(await runs.decide('x', 'p1', { decision: 'allow' })).toBe(true);
  expect((await runs.result('x')).status).toBe('done');
});

test('a call that nobody decides on in time is denied, and a decision after that does not count, though the run goes on', async () => {
  verifies('restate.approvals');
  const [asked, going] = [gate(), gate()];
  const scripted = modelOf([{ calls: [call('pay', 'p1')] }, { text: 'ok' }]);
  const provider: Provider = {
    name: 'scripted',
    async *stream(request) {
      if (request.messages.length > 1) {
        asked.open();
        await going.opened;
      }
      yield* scripted.stream(request);
    },
  };
  const runs = await engine.serve('timed', {
    approve: later,
    approvalTimeoutMs: 200,
    run: (context) => run({ provider, model, tools: toolset(context.runId, () => undefined), ...context }),
  });
  await runs.start('x', { messages });
  await asked.opened;
  expect(await runs.decide('x', 'p1', { decision: 'allow' })).toBe(false);
  going.open();
  expect(JSON.stringify((await runs.result('x')).result?.messages)).toContain('no decision came in time');
});

test('cancel reaches the model and the tool, ends what waits, and counts once', async () => {
  verifies('restate.cancel');
  const [calling, asking] = [gate(), gate()];
  const untilAborted = (signal: AbortSignal | undefined) =>
    new Promise<JsonValue>((resolve) => signal?.addEventListener('abort', () => resolve({ stopped: true })));
  const runs = await engine.serve('cancelled', {
    approve: ({ call: { id } }) => ({ decision: id === 'p1' ? 'later' : 'allow' }),
    run: agentOf(async (steps, context) => {
      const { runId, signal, approve } = context;
      if (runId === 'waits') {
        const tool = { name: 'pay', description: '', parameters: { type: 'object' } } as const;
        const request = {
          call: { type: 'tool-call', id: 'p1', name: 'pay', arguments: '{}' },
          tool,
          path: [],
        } as const;
        const pending = { ...request.call, tool, path: [], digest: 'd' };
        const asks = step('approve:p1', async () => {
          const answer = await approve?.({ ...request, digest: 'd', signal });
          return answer?.decision === 'later' ? { decision: 'later', pending } : { decision: 'allow' };
        });
        return [...(await steps.all([asks]))];
      }
      const id = runId === 'model' ? 'model:1' : 'tool:1';
      const hangs = step(id, () => {
        (runId === 'model' ? asking : calling).open();
        return untilAborted(signal);
      });
      return [...(await steps.all([hangs]))];
    }),
  });
  await Promise.all(['model', 'tool', 'waits'].map((id) => runs.start(id, { messages })));
  await Promise.all([calling.opened, asking.opened]);
  await expect.poll(() => runs.waiting('waits')).toHaveLength(1);
  for (const id of ['model', 'tool', 'waits']) {
    // oxlint-disable-next-line no-await-in-loop
    expect(await runs.cancel(id)).toBe(true);
    // oxlint-disable-next-line no-await-in-loop
    expect(await runs.result(id)).toMatchObject({ status: 'cancelled', result: { reason: 'aborted' } });
    // oxlint-disable-next-line no-await-in-loop
    expect(await runs.cancel(id)).toBe(false);
  }
  expect(await runs.waiting()).toEqual([]);
});

test('a run that is cancelled before it begins, by its deadline, or as an invocation of Restate is cancelled', async () => {
  verifies('restate.cancel');
  const runs = await engine.serve('ends', { approve: later, run: payer() });
  await runs.cancel('before');
  await runs.start('before', { messages });
  expect((await runs.result('before')).status).toBe('cancelled');
  await runs.start('late', { messages, deadline: new Date(Date.now() + 300) });
  expect((await runs.result('late')).status).toBe('cancelled');
  await runs.start('x', { messages });
  await expect.poll(() => runs.waiting('x')).toHaveLength(1);
  await engine.cancelInvocation('ends', 'x');
  expect((await runs.result('x')).status).toBe('cancelled');
});

test('start with the same id and input starts one run, and another input is refused', async () => {
  verifies('restate.start');
  let starts = 0;
  const counts = async function* counts(): AsyncGenerator<AgentEvent> {
    starts += 1;
    const usage = { inputTokens: 0, outputTokens: 0 };
    yield { type: 'run-end', reason: 'done', answer: 'ok', turns: 0, messages: [], usage };
  };
  const runs = await engine.serve('once', { run: counts });
  const both = await Promise.all([runs.start('x', { messages }), runs.start('x', { messages })]);
  expect(new Set(both)).toEqual(new Set([false, true]));
  await runs.result('x');
  expect(await runs.start('x', { messages })).toBe(false);
  await expect(runs.start('x', { messages, input: 1 })).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(starts).toBe(1);
  await runs.start('soon', { messages, at: new Date(Date.now() + 400) });
  expect((await runs.status('soon'))?.status).toBe('queued');
  expect((await runs.result('soon')).status).toBe('done');
});

test('errors say what is wrong: an unknown run, an invalid decision, an unreachable server', async () => {
  verifies('restate.verbs');
  const runs = await engine.serve('verbs', { run: payer() });
  await expect(runs.result('none')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(await runs.status('none')).toBeUndefined();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  await expect(runs.decide('x', 'c', { decision: 'maybe' } as never)).rejects.toThrow('without a valid decision');
  await expect(runs.start('', { messages })).rejects.toThrow('1 to 400 characters');
});
