import { agentAsTool, run } from '@kernel/agent';
import { verifies } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';
import { expect, test } from 'vitest';
import { call, CALLS, everyAgent, modelOf, toolset } from './fixtures/agents.ts';
import { gate, messages, useEngine } from './support.ts';

const engine = useEngine();
const model = 'm';

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}

test('agents of every kind run as in memory, each call once and under a key of its own', async () => {
  verifies('restate.agents');
  const entered: string[] = [];
  const agents = everyAgent((runId, callId, _, key) => void entered.push(`${runId} ${callId} ${key}`));
  await Promise.all(
    Object.entries(agents).map(async ([name, agent]) => {
      const runs = await engine.serve(name, agent);
      await runs.start(name, { messages });
      const { status, result } = await runs.result(name);
      expect([name, status, result?.answer]).toEqual([name, 'done', 'ok']);
      const mine = entered.filter((line) => line.startsWith(`${name} `)).map((line) => line.split(' '));
      expect(new Set(mine.map(([, callId]) => callId))).toEqual(new Set(CALLS[name]));
      expect(new Set(mine.map(([, , key]) => key)).size).toBe(CALLS[name]?.length);
      expect(mine).toHaveLength(CALLS[name]?.length ?? 0);
    }),
  );
});

test('a decision inside of an agent can wait, and what was done beside it is not repeated when another process goes on', async () => {
  verifies('restate.agents');
  const entered: string[] = [];
  const runs = await engine.serve(
    'inner',
    {
      approve: ({ call: { name } }) => ({ decision: name === 'pay' ? 'later' : 'allow' }),
      run: (context) => {
        const tools = toolset(context.runId, (_, callId) => void entered.push(callId));
        const inner = modelOf([{ calls: [call('look', 'l1')] }, { calls: [call('pay', 'p1')] }, { text: 'paid' }]);
        const helper = agentAsTool({ name: 'helper', description: 'Helps.', run: { provider: inner, model, tools } });
        const registry = createRegistry([helper]);
        registry.mount('', tools);
        const outer = modelOf([{ calls: [call('helper', 'h', { task: 'pay' }), call('set', 's1')] }, { text: 'ok' }]);
        return run({ provider: outer, model, tools: registry, ...context });
      },
    },
    { inactivityTimeoutMs: 100 },
  );
  await runs.start('x', { messages });
  await expect.poll(() => runs.waiting('x')).toMatchObject([{ callId: 'h/p1', kind: 'approval' }]);
  await expect.poll(() => engine.isSuspended('inner', 'x')).toBe(true);
  expect(await runs.decide('x', 'h/p1', { decision: 'allow' })).toBe(true);
  expect((await runs.result('x')).result?.answer).toBe('ok');
  expect(entered.toSorted()).toEqual(['l1', 'p1', 's1']);
});

test('messages and stops reach a run from outside, even before it begins', async () => {
  verifies('restate.steering');
  const calling = gate();
  const going = gate();
  const runs = await engine.serve('steered', {
    run: (context) => {
      const tools = toolset(context.runId, async (_, callId) => {
        if (callId !== 'l1') return;
        calling.open();
        await going.opened;
      });
      const provider = modelOf([{ calls: [call('look', 'l1')] }, { text: 'first' }, { text: 'second' }]);
      return run({ provider, model, tools, ...context });
    },
  });
  await runs.steer('x', 'And then?', { after: 'answer' });
  await runs.start('x', { messages });
  await calling.opened;
  await runs.steer('x', 'Be quick.');
  going.open();
  const { result } = await runs.result('x');
  expect(result?.answer).toBe('second');
  const said = (result?.messages ?? []).map((each) => JSON.stringify(each)).filter((json) => json.includes('"user"'));
  expect(said.map((json) => /Go|Be quick|And then/.exec(json)?.[0])).toEqual(['Go', 'Be quick', 'And then']);
  await expect(runs.steer('x', 'late')).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  await runs.stop('stopped');
  await runs.start('stopped', { messages });
  expect((await runs.result('stopped')).result).toMatchObject({ reason: 'aborted' });
});

test('events are read in order, and after the position where a reader left', async () => {
  verifies('restate.events');
  const agents = everyAgent(() => undefined);
  const runs = await engine.serve('logged', agents['plain'] ?? { run: async function* none() {} });
  const reading = all(runs.events('x'));
  await runs.start('x', { messages });
  const logged = await reading;
  expect(logged.map(({ event }) => event.type).filter((type) => type.endsWith('-end'))).toEqual([
    'message-end',
    'tool-end',
    'tool-end',
    'tool-end',
    'tool-end',
    'turn-end',
    'message-end',
    'tool-end',
    'turn-end',
    'message-end',
    'turn-end',
    'run-end',
  ]);
  expect(logged.map(({ seq }) => seq)).toEqual(logged.map(({ seq }) => seq).toSorted((a, b) => a - b));
  const after = logged[4]?.seq;
  expect(await all(runs.events('x', { after }))).toEqual(logged.slice(5));
  expect(await all(runs.events('x', { follow: false }))).toEqual(logged);
});
