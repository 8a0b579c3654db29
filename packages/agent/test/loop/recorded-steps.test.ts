import { type AgentEvent, type Step, type StepExecutor, type Toolset } from '@kernel/protocol';
import {
  createMemoryJournal,
  type JournalEntries,
  mockTool,
  mockToolset,
  scriptedProvider,
  verifies,
} from '@kernel/testing';
import { expect, test } from 'vitest';
import {
  agentAsTool,
  collect,
  createMemorySession,
  createSteering,
  run,
  runSession,
  runTeam,
  withSelectedTools,
} from '../../src/index.ts';
import { toolsetOf, user } from '../support.ts';

const model = 'm';
const base = { model, messages: [user('Go')], runId: 'r' };
const allow = () => ({ decision: 'allow' }) as const;
const twoTools = (): ReturnType<typeof mockToolset> =>
  mockToolset([mockTool('look', 'x', { effect: 'read' }), mockTool('pay', 'y', { effect: 'external' })]);

/** Runs all steps, and shows each to a test. */
function watching(watch: (step: Step) => void): StepExecutor {
  return {
    all: (batch) =>
      Promise.all(
        batch.map((step) => {
          watch(step);
          return step.run();
        }),
      ),
  };
}

test('a step says what it does, what its call may change, and under which key', async () => {
  verifies('durable.steps');
  const seen: unknown[] = [];
  const provider = scriptedProvider([
    {
      calls: [
        { name: 'look', id: '1' },
        { name: 'pay', id: '2' },
        { name: 'none', id: '3' },
      ],
    },
    { text: 'ok' },
  ]);
  const steps = watching(({ id, kind, effect, idempotencyKey }) => seen.push([id, kind, effect, idempotencyKey]));
  await collect(run({ ...base, provider, tools: twoTools(), approve: allow, steps }));
  expect(seen).toEqual([
    ['model:1', 'model', undefined, undefined],
    ['approve:2', 'approve', undefined, undefined],
    ['tool:1', 'tool', 'read', 'r:1'],
    ['tool:2', 'tool', 'external', 'r:2'],
    ['tool:3', 'tool', 'external', 'r:3'],
    ['model:2', 'model', undefined, undefined],
  ]);
});

test('the effect of a call is that of the day it was made, whatever the tools are today', async () => {
  verifies('durable.effects');
  const effects: unknown[] = [];
  const first = createMemoryJournal({ dieAt: 5 });
  const script = [{ calls: [{ name: 'pay', id: '1' }] }, { text: 'ok' }];
  await collect(run({ ...base, provider: scriptedProvider(script), tools: twoTools(), steps: first }));
  expect(first.isDead && first.entries.has('model:1')).toBe(true);
  const second = createMemoryJournal({ entries: first.entries });
  const steps: StepExecutor = {
    all: (batch) => {
      for (const step of batch) if (step.kind === 'tool') effects.push(step.effect);
      return second.all(batch);
    },
  };
  const today = mockToolset([mockTool('pay', 'y', { effect: 'read' })]);
  await collect(run({ ...base, provider: scriptedProvider(script.slice(1)), tools: today, steps }));
  expect(effects).toEqual(['external']);
});

test('tools that are chosen in each turn can be called after a crash', async () => {
  verifies('durable.chosenTools');
  const script = [{ calls: [{ name: 'look', id: '1' }] }, { text: 'ok' }];
  const chosen: number[] = [];
  const choose = (tools: Toolset): Toolset =>
    withSelectedTools(tools, (list, { turn }) => {
      chosen.push(turn);
      return list;
    });
  const first = createMemoryJournal({ dieAt: 4 });
  await collect(run({ ...base, provider: scriptedProvider(script), tools: choose(twoTools()), steps: first }));
  expect([...first.entries.keys()]).toEqual(['model:1']);
  const tools = twoTools();
  const steps = createMemoryJournal({ entries: first.entries });
  chosen.length = 0;
  const result = await collect(
    run({ ...base, provider: scriptedProvider(script.slice(1)), tools: choose(tools), steps }),
  );
  expect([result.reason, tools.calls.length]).toEqual(['done', 1]);
  expect(chosen).toEqual([1, 2]);
});

test('stop() is read within a step, so that a replay stops at the same turn', async () => {
  verifies('durable.stop');
  const steering = createSteering();
  const journal = createMemoryJournal();
  const tools = mockToolset([mockTool('look', () => (steering.stop(), 'x'), { effect: 'read' })]);
  const script = [{ calls: [{ name: 'look', id: '1' }] }];
  const stopped = await collect(run({ ...base, provider: scriptedProvider(script), tools, steering, steps: journal }));
  expect(stopped).toMatchObject({ reason: 'aborted', turns: 1 });
  expect(journal.entries.get('model:2')).toEqual({ state: 'done', output: '{"isStopped":true}' });
  const steps = createMemoryJournal({ entries: journal.entries });
  const replayed = await collect(run({ ...base, provider: scriptedProvider([]), tools, steps }));
  expect([replayed.reason, replayed.messages]).toEqual([stopped.reason, stopped.messages]);
});

test('a message that came in is reported within its step, so that a replay does not report it again', async () => {
  verifies('durable.steer');
  const steering = createSteering();
  steering.followUp('And?');
  const journal = createMemoryJournal();
  const script = [{ text: 'a' }, { text: 'b' }];
  const typesOf = async (events: AsyncIterable<AgentEvent>): Promise<string[]> => {
    const types: string[] = [];
    for await (const { type } of events) types.push(type);
    return types;
  };
  const live = await typesOf(run({ ...base, provider: scriptedProvider(script), steering, steps: journal }));
  expect(live.filter((type) => type === 'steer')).toHaveLength(1);
  const steps = createMemoryJournal({ entries: journal.entries });
  const options = { ...base, provider: scriptedProvider([]), steering: createSteering(), steps };
  expect(await typesOf(run(options))).toEqual(['turn-end', 'turn-end', 'run-end']);
});

test('a call that had begun has an unknown outcome, with the events of a call', async () => {
  verifies('durable.unknown');
  const script = [{ calls: [{ name: 'pay', id: '1' }] }, { text: 'ok' }];
  const entries: JournalEntries = new Map();
  for (let dieAt = 1; ![...entries.keys()].includes('tool:1'); dieAt += 1) {
    entries.clear();
    // oxlint-disable-next-line no-await-in-loop
    await collect(
      run({
        ...base,
        provider: scriptedProvider(script),
        tools: twoTools(),
        steps: createMemoryJournal({ entries, dieAt }),
      }),
    );
  }
  expect(entries.get('tool:1')).toEqual({ state: 'begun' });
  const tools = twoTools();
  const ends: unknown[] = [];
  for await (const event of run({
    ...base,
    provider: scriptedProvider(script.slice(1)),
    tools,
    steps: createMemoryJournal({ entries }),
  }))
    if (event.type === 'tool-end') ends.push(event.result.code);
  expect([ends, tools.calls.length]).toEqual([['OUTCOME_UNKNOWN'], 0]);
});

test('the late result of an async tool that went with its process is reported as unknown, once', async () => {
  verifies('durable.asyncOutcomes');
  const started = mockToolset([mockTool('start', { forLLM: 'begun', async: true }, { effect: 'external' })]);
  const script = [{ calls: [{ name: 'start', id: '1' }] }, { text: 'waiting' }, { text: 'ok' }];
  const entries: JournalEntries = new Map();
  for (let dieAt = 1; entries.get('tool:1')?.state !== 'done'; dieAt += 1) {
    entries.clear();
    // oxlint-disable-next-line no-await-in-loop
    await collect(
      run({
        ...base,
        provider: scriptedProvider(script),
        tools: started,
        steps: createMemoryJournal({ entries, dieAt }),
      }),
    );
  }
  const rest = { ...base, tools: started };
  const again = createMemoryJournal({ entries });
  const result = await collect(run({ ...rest, provider: scriptedProvider(script.slice(1, 2)), steps: again }));
  const told = result.messages.filter(
    ({ role, content }) => role === 'user' && JSON.stringify(content).includes('OUTCOME_UNKNOWN'),
  );
  expect(told).toHaveLength(1);
  const replayed = await collect(
    run({ ...rest, provider: scriptedProvider([]), steps: createMemoryJournal({ entries: again.entries }) }),
  );
  expect(replayed.messages).toEqual(result.messages);
});

test('the steps of an agent within a call go through the executor of its caller, under the id of the call', async () => {
  verifies('durable.agents');
  const inner = scriptedProvider([{ calls: [{ name: 'pay', id: 'p' }] }, { text: 'paid' }]);
  const agent = agentAsTool({ name: 'helper', description: '', run: { provider: inner, model, tools: twoTools() } });
  const provider = scriptedProvider([
    { calls: [{ name: 'helper', id: 'h', arguments: '{"task":"pay"}' }] },
    { text: 'ok' },
  ]);
  const journal = createMemoryJournal();
  await collect(run({ ...base, provider, tools: toolsetOf([agent]), approve: allow, steps: journal }));
  expect(journal.batches.map((batch) => batch.join(' '))).toEqual([
    'model:1',
    'approve:h',
    'tool:h',
    'tool:h/model:1',
    'tool:h/approve:p',
    'tool:h/tool:p',
    'tool:h/model:2',
    'model:2',
  ]);
  const parked = createMemoryJournal({ entries: new Map([...journal.entries].slice(0, 3)) });
  expect(parked.entries.size).toBe(3);
});

test('an approval inside of an agent waits, and its call goes on where it stopped', async () => {
  verifies('durable.innerApprovals');
  const script = [{ calls: [{ name: 'pay', id: 'p' }] }, { text: 'paid' }];
  const outer = [{ calls: [{ name: 'helper', id: 'h', arguments: '{"task":"pay"}' }] }, { text: 'ok' }];
  const tools = twoTools();
  const attempt = (answer: 'allow' | 'later', inner: typeof script, own: typeof outer, steps: StepExecutor) =>
    collect(
      run({
        ...base,
        steps,
        provider: scriptedProvider(own),
        tools: toolsetOf([
          agentAsTool({
            name: 'helper',
            description: '',
            effect: 'read',
            run: { provider: scriptedProvider(inner), model, tools },
          }),
        ]),
        approve: () => ({ decision: answer }),
      }),
    );
  const first = createMemoryJournal();
  expect((await attempt('later', script, outer, first)).reason).toBe('approval');
  expect([...first.entries.keys()]).toEqual(['model:1', 'tool:h/model:1']);
  const second = createMemoryJournal({ entries: first.entries });
  const result = await attempt('allow', script.slice(1), outer.slice(1), second);
  expect([result.reason, tools.calls.length]).toEqual(['done', 1]);
});

test('the steps of each member of a team have a prefix of their own', async () => {
  verifies('durable.teams');
  const journal = createMemoryJournal();
  const member = (script: Parameters<typeof scriptedProvider>[0]) => ({
    description: '',
    run: { model, provider: scriptedProvider(script) },
  });
  const team = (scripts: Parameters<typeof scriptedProvider>[0][], steps: StepExecutor) =>
    collect(
      runTeam({
        messages: base.messages,
        first: 'a',
        steps,
        members: new Map([
          ['a', member(scripts[0] ?? [])],
          ['b', member(scripts[1] ?? [])],
        ]),
      }),
    );
  const result = await team([[{ calls: [{ name: 'hand_off_to_b', id: '1' }] }], [{ text: 'ok' }]], journal);
  expect([...journal.entries.keys()]).toEqual(['1-a/model:1', '1-a/tool:1', '2-b/model:1']);
  const replayed = await team([[], []], createMemoryJournal({ entries: journal.entries }));
  expect([replayed.reason, replayed.messages]).toEqual([result.reason, result.messages]);
});

test('a session takes no other executor: messages would be in it twice', () => {
  verifies('durable.sessions');
  const steps = createMemoryJournal();
  const options = { model, provider: scriptedProvider([]), session: createMemorySession(), steps };
  expect(() => runSession(options)).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      message: expect.stringContaining('no option "steps"') as string,
    }),
  );
});
