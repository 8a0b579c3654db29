import { agentWorkflow } from '@kernel/restate';
import { run } from '@kernel/agent';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { call, modelOf, toolset } from './fixtures/agents.ts';
import { agentOf, step } from './fixtures/steps.ts';
import { messages, useEngine } from './support.ts';

const engine = useEngine();
const later = () => ({ decision: 'later' }) as const;
const model = 'm';

test('a run whose step fails is failed with its error, retry repeats only that step, and rejects once it is done', async () => {
  verifies('restate.retry');
  const ran: string[] = [];
  let fails = true;
  const runs = await engine.serve('failing', {
    run: agentOf(async (steps) => {
      await steps.all([step('tool:1', () => ({ count: ran.push('1') }))]);
      const second = step('tool:2', () => {
        ran.push('2');
        if (fails) throw new Error('the vendor is down');
        return {};
      });
      return [...(await steps.all([second]))];
    }),
  });
  await runs.start('x', { messages });
  const failed = await runs.result('x');
  expect(failed).toMatchObject({
    status: 'failed',
    result: { reason: 'error', error: { message: 'the vendor is down' } },
  });
  fails = false;
  await runs.retry('x');
  expect((await runs.result('x')).status).toBe('done');
  await expect(runs.retry('x')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(ran).toEqual(['1', '2', '2']);
});

test('a result that is too long becomes an error that the model reads', async () => {
  verifies('restate.limits');
  const runs = await engine.serve('long', {
    maxResultBytes: 1000,
    run: agentOf(async (steps) => [...(await steps.all([step('tool:1', () => ({ text: 'x'.repeat(2000) }))]))]),
  });
  await runs.start('x', { messages });
  expect((await runs.result('x')).result?.answer).toContain('LIMIT_REACHED');
});

test('purge deletes runs that are over, also one that failed, and no others', async () => {
  verifies('restate.purge');
  const provider = modelOf([{ calls: [call('pay', 'p1')] }, { text: 'ok' }]);
  const runs = await engine.serve('purged', {
    approve: later,
    run: (context) =>
      run({
        provider,
        model,
        tools: context.runId === 'fails' ? brokenTools() : toolset('x', () => undefined),
        ...context,
      }),
  });
  await Promise.all(['done', 'waits', 'fails'].map((id) => runs.start(id, { messages })));
  await runs.decide('done', 'p1', { decision: 'allow' });
  await runs.result('done');
  await runs.result('fails');
  expect(await runs.purge({ before: new Date(0) })).toBe(0);
  expect(await runs.purge()).toBe(2);
  await expect.poll(async () => (await runs.list()).map(({ id }) => id)).toEqual(['waits']);
  expect(await runs.start('done', { messages })).toBe(true);
});

function brokenTools(): never {
  throw new Error('no tools');
}

test('a run goes on when a tool is gone and another has come: the order of its commands is that of its journal', async () => {
  verifies('restate.tools');
  const entered: string[] = [];
  const agentWith = (names: readonly string[]) => ({
    approve: later,
    run: (context: Parameters<Parameters<typeof engine.serve>[1]['run']>[0]) => {
      const tools = toolset(context.runId, (_, callId) => void entered.push(callId), false, names);
      const calls = [call('look', 'l1'), call('pay', 'p1'), call('set', 's1')];
      return run({ provider: modelOf([{ calls }, { text: 'ok' }]), model, tools, ...context });
    },
  });
  const port = await engine.serveAt('changing', agentWith(['look', 'pay', 'set']), { inactivityTimeoutMs: 100 });
  const runs = engine.open('changing');
  await runs.start('x', { messages });
  await expect.poll(() => runs.waiting('x')).not.toHaveLength(0);
  await expect.poll(() => engine.isSuspended('changing', 'x')).toBe(true);
  await port.replace(agentWith(['look', 'pay']));
  for (const { callId } of await runs.waiting('x')) await runs.decide('x', callId, { decision: 'allow' });
  const { status, result } = await runs.result('x');
  expect([status, result?.answer]).toEqual(['done', 'ok']);
  expect(JSON.stringify(result?.messages)).toContain('TOOL_');
  expect(entered).toEqual(expect.arrayContaining(['l1', 'p1']));
  expect(entered).not.toContain('s1');
});

test('a run whose code has changed is blocked, none of its steps run, and it continues with the previous code', async () => {
  verifies('restate.blocked');
  const entered: string[] = [];
  const agentWith = (word: string, version = '1') => ({
    version,
    approve: later,
    run: (context: Parameters<Parameters<typeof engine.serve>[1]['run']>[0]) => {
      const tools = toolset(context.runId, (_, callId) => void entered.push(callId));
      const provider = modelOf([{ calls: [call('pay', 'p1')] }, { text: 'ok' }]);
      return run({ provider, model, tools, system: word, ...context });
    },
  });
  const port = await engine.serveAt('blocked', agentWith('Be kind.'), { inactivityTimeoutMs: 100 });
  const runs = engine.open('blocked');
  for (const [id, next] of [
    ['prompt', agentWith('Be brief.')],
    ['version', agentWith('Be kind.', '2')],
  ] as const) {
    await port.replace(agentWith('Be kind.'));
    await runs.start(id, { messages });
    await expect.poll(() => runs.waiting(id)).toHaveLength(1);
    await expect.poll(() => engine.isSuspended('blocked', id)).toBe(true);
    await port.replace(next);
    await runs.decide(id, 'p1', { decision: 'allow' });
    await expect.poll(async () => (await runs.status(id))?.status).toBe('blocked');
    expect(entered).toEqual([]);
    await port.replace(agentWith('Be kind.'));
    await runs.retry(id);
    expect((await runs.result(id)).status).toBe('done');
    expect(entered.splice(0)).toEqual(['p1']);
  }
});

test('a new deployment leaves runs of the old one alone', async () => {
  verifies('restate.versions');
  const agentWith = (version: string) => ({
    version,
    approve: later,
    run: (context: Parameters<Parameters<typeof engine.serve>[1]['run']>[0]) => {
      const provider = modelOf([{ calls: [call('pay', 'p1')] }, { text: `version ${version}` }]);
      return run({ provider, model, tools: toolset(context.runId, () => undefined), ...context });
    },
  });
  const runs = await engine.serve('rolling', agentWith('1'), { inactivityTimeoutMs: 100 });
  await runs.start('old', { messages });
  await expect.poll(() => runs.waiting('old')).toHaveLength(1);
  await engine.serve('rolling', agentWith('2'), { inactivityTimeoutMs: 100 });
  await runs.start('new', { messages });
  for (const [id, version] of [
    ['old', '1'],
    ['new', '2'],
  ] as const) {
    await runs.decide(id, 'p1', { decision: 'allow' });
    expect(await runs.result(id)).toMatchObject({ version, result: { answer: `version ${version}` } });
  }
});

test('a name that Restate does not accept is refused immediately', () => {
  verifies('restate.verbs');
  expect(() => agentWorkflow('two words', { run: async function* none() {} })).toThrow('agentWorkflow');
});
