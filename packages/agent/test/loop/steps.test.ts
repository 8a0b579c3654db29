import type { JsonValue, StepExecutor } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, inProcessSteps, run } from '../../src/index.ts';
import { user } from '../support.ts';

const model = 'm';
const script = [
  {
    calls: [
      { name: 'a', id: '1' },
      { name: 'b', id: '2' },
    ],
  },
  { calls: [{ name: 'b', id: '3' }] },
  { text: 'ok' },
];
const toolset = () => mockToolset([mockTool('a', 'x', { effect: 'write' }), mockTool('b', 'y')]);
const base = { model, messages: [user('Go')], approve: () => ({ decision: 'allow' as const }) };

function journaled(journal: Map<string, string>, inner: StepExecutor = inProcessSteps) {
  const batches: string[][] = [];
  const steps: StepExecutor = {
    async all(batch) {
      batches.push(batch.map((step) => step.id));
      const missing = batch.filter((step) => !journal.has(step.id));
      const outputs = await inner.all(missing);
      missing.forEach((step, index) => journal.set(step.id, JSON.stringify(outputs[index])));
      return batch.map((step) => JSON.parse(journal.get(step.id) ?? 'null') as JsonValue);
    },
  };
  return { steps, batches };
}

test('the loop reaches the world in flat batches: model, then approvals, then calls', async () => {
  const { steps, batches } = journaled(new Map());
  await collect(run({ ...base, provider: scriptedProvider(script), tools: toolset(), steps }));
  expect(batches).toEqual([['model:1'], ['approve:1'], ['tool:1', 'tool:2'], ['model:2'], ['tool:3'], ['model:3']]);
});

test('every input and output of a step is JSON', async () => {
  const steps: StepExecutor = {
    async all(batch) {
      for (const step of batch) expect(JSON.parse(JSON.stringify(step.input))).toEqual(step.input);
      const outputs = await inProcessSteps.all(batch);
      for (const output of outputs) expect(JSON.parse(JSON.stringify(output))).toEqual(output);
      return outputs;
    },
  };
  const result = await collect(run({ ...base, provider: scriptedProvider(script), tools: toolset(), steps }));
  expect(result.reason).toBe('done');
});

test('a journal cut at any point replays to the same history and runs nothing twice', async () => {
  const whole = new Map<string, string>();
  const reference = await collect(
    run({ ...base, provider: scriptedProvider(script), tools: toolset(), steps: journaled(whole).steps }),
  );
  for (let kept = 0; kept <= whole.size; kept += 1) {
    const entries = [...whole].slice(0, kept);
    const modelSteps = entries.filter(([id]) => id.startsWith('model:')).length;
    const provider = scriptedProvider(script.slice(modelSteps));
    const tools = toolset();
    const result = await collect(run({ ...base, provider, tools, steps: journaled(new Map(entries)).steps }));
    expect(result.messages).toEqual(reference.messages);
    expect(tools.calls).toHaveLength(3 - entries.filter(([id]) => id.startsWith('tool:')).length);
    provider.assertDone();
  }
});

test('a call that a journal says must be asked about does not run because approve is absent on resume', async () => {
  verifies('durable.asks');
  const journal = new Map<string, string>();
  const tools = toolset();
  const begun = await collect(
    run({
      ...base,
      approve: () => ({ decision: 'later' }),
      provider: scriptedProvider(script),
      tools,
      steps: journaled(journal).steps,
    }),
  );
  expect(begun.reason).toBe('approval');
  // What an executor does with a decision that was postponed: it keeps none.
  journal.delete('approve:1');
  const { approve: _approve, ...unasked } = base;
  const resumed = await collect(
    run({ ...unasked, provider: scriptedProvider(script), tools, steps: journaled(journal).steps }),
  );
  expect(resumed).toMatchObject({ reason: 'error', error: { code: 'CONFIG_INVALID' } });
  expect(tools.calls).toEqual([]);
});

test('a turn whose calls wait for a decision has no turn-end', async () => {
  verifies('durable.turns');
  const types: string[] = [];
  const approve = () => ({ decision: 'later' as const });
  for await (const { type } of run({ ...base, approve, provider: scriptedProvider(script), tools: toolset() }))
    types.push(type);
  expect(types).not.toContain('turn-end');
  expect(types.at(-1)).toBe('run-end');
});
