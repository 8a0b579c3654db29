import type { JsonValue, Approve, StepExecutor } from '@kernel/protocol';
import { mockTool, mockToolset, scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, inProcessSteps, run } from '../../src/index.ts';
import { user } from '../support.ts';

const base = { model: 'm', messages: [user('Go')] };
const script = (text: string) =>
  scriptedProvider([{ calls: [{ name: 'pay', id: 'c', arguments: text }] }, { text: 'ok' }]);
const toolset = () => mockToolset([mockTool('pay', 'paid', { effect: 'write' })]);

/** Keeps the outputs of the approvals, and gives back the kept ones instead of asking. */
function keepingDecisions(kept: Map<string, string>): StepExecutor {
  return {
    async all(batch) {
      const missing = batch.filter(({ id }) => !kept.has(id));
      const outputs = new Map<string, JsonValue>();
      const ran = await inProcessSteps.all(missing);
      missing.forEach(({ id }, at) => outputs.set(id, ran[at] ?? null));
      for (const [id, output] of outputs) if (id.startsWith('approve:')) kept.set(id, JSON.stringify(output));
      return batch.map(({ id }) => outputs.get(id) ?? (JSON.parse(kept.get(id) ?? 'null') as JsonValue));
    },
  };
}

test('nothing runs with other arguments than the approver has seen, also with a decision that was kept', async () => {
  verifies('agent.loop.approval');
  const kept = new Map<string, string>();
  const seen: string[] = [];
  const approve: Approve = ({ call }) => {
    seen.push(call.arguments);
    return { decision: 'allow' };
  };
  const pay = async (text: string) => {
    const tools = toolset();
    await collect(run({ ...base, provider: script(text), tools, approve, steps: keepingDecisions(kept) }));
    return tools.calls.map((call) => call.arguments);
  };
  const ann = '{"to":"ann"}';
  expect(await pay(ann)).toEqual([ann]);
  expect([seen, kept.size]).toEqual([[ann], 1]);
  // The kept decision stands for the same call, which nobody is asked about again.
  expect(await pay(ann)).toEqual([ann]);
  expect(seen).toEqual([ann]);
  const ran = await pay('{"to":"bob"}');
  expect(ran.filter((text) => !seen.includes(text))).toEqual([]);
});

test.each([
  ['that aborts the run and allows', false],
  ['that aborts the run and allows later', true],
])('an answer of an approval %s is a denial, also where decisions are kept', async (_name, isLate) => {
  verifies('agent.loop.approval');
  const kept = new Map<string, string>();
  const stop = new AbortController();
  const tools = toolset();
  const approve: Approve = async () => {
    stop.abort();
    if (isLate) await new Promise((resolve) => setTimeout(resolve, 1));
    return { decision: 'allow' };
  };
  const steps = keepingDecisions(kept);
  const end = await collect(run({ ...base, provider: script('{}'), tools, approve, steps, signal: stop.signal }));
  expect(end.reason).toBe('aborted');
  expect([...kept.values()].join()).not.toContain('allow');
  // Continued with what was kept, the call is still not run.
  await collect(run({ ...base, provider: script('{}'), tools, approve, steps }));
  expect(tools.calls).toEqual([]);
});
