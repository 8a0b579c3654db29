import type { Approve, StepExecutor, Toolset } from '@kernel/protocol';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  agentAsTool,
  collect,
  rememberApprovals,
  run,
  runSession,
  withAsyncPolicy,
  withHooks,
  withSelectedTools,
} from '@kernel/agent';
import { openFileSession } from '@kernel/agent/session-file';
import { type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { createRegistry, defineTool, type ToolRegistry } from '@kernel/tools';
import { permissions, withPermissions } from '@kernel/toolbox/permissions';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';

const model = 'm';
const messages = [{ role: 'user', content: 'Go' }] as const;
const allow = { decision: 'allow' } as const;

/** A tool that pays, and keeps what its handler gets. */
function payments(effect: 'write' | 'external' = 'external') {
  const paid: unknown[] = [];
  const input = z.object({ amount: z.number(), currency: z.string().default('EUR') });
  const tool = defineTool({ name: 'pay', description: 'Pays.', effect, input, handler: (got) => void paid.push(got) });
  return { paid, tool };
}
const pay = (args: string) => ({ name: 'pay', id: 'p', arguments: args });

test('the approver of a registry sees repaired arguments with their defaults, and exactly those run', async () => {
  verifies('agent.loop.approval.arguments');
  const { paid, tool } = payments();
  const seen: unknown[] = [];
  const approve: Approve = ({ call, tool: { effect } }) => {
    seen.push(JSON.parse(call.arguments), effect);
    return allow;
  };
  const provider = scriptedProvider([{ calls: [pay('{"amount": "5"}')] }, { text: 'ok' }]);
  await collect(run({ provider, model, messages, tools: createRegistry([tool]), approve }));
  expect(seen).toEqual([{ amount: 5, currency: 'EUR' }, 'external']);
  expect(paid).toEqual([{ amount: 5, currency: 'EUR' }]);
});

test.each([
  ['large integer', z.union([z.number().transform(BigInt), z.string()]), 5, '5'],
  ['date', z.union([z.number().transform((at) => new Date(at)), z.string()]), 0, '1970-01-01T00:00:00.000Z'],
  ['set', z.union([z.string().transform((each) => new Set([each])), z.array(z.string())]), 'a', ['a']],
])('an allow of a %s is none of what has the same JSON, be it remembered or kept', async (_what, to, one, other) => {
  verifies('agent.approval.remembered');
  const tools = createRegistry([
    defineTool({ name: 'pay', description: 'Pays.', effect: 'write', input: z.object({ to }), handler: () => 'ok' }),
  ]);
  const questions: { readonly text: string; readonly digest: string }[] = [];
  const approve: Approve = ({ call, digest }) => {
    questions.push({ text: call.arguments, digest });
    return allow;
  };
  const calls = [one, other, one].map((value, at) => ({ name: 'pay', id: `p${at}`, arguments: { to: value } }));
  const provider = scriptedProvider([...calls.map((call) => ({ calls: [call] })), { text: 'ok' }]);
  await collect(run({ provider, model, messages, tools, approve: rememberApprovals(approve) }));
  expect(questions.map(({ text }) => text)).toEqual([questions[0]?.text, questions[0]?.text]);
  expect(new Set(questions.map(({ digest }) => digest)).size).toBe(2);
});

test('an allow is remembered for the same arguments in another order', async () => {
  verifies('agent.approval.remembered');
  const { paid, tool } = payments();
  let questions = 0;
  const approve = rememberApprovals(() => ((questions += 1), allow));
  const calls = ['{"amount":5,"currency":"USD"}', '{ "currency": "USD", "amount": 5 }'].map((text, at) => ({
    ...pay(text),
    id: `p${at}`,
  }));
  const provider = scriptedProvider([...calls.map((call) => ({ calls: [call] })), { text: 'ok' }]);
  await collect(run({ provider, model, messages, tools: createRegistry([tool]), approve, limits: { repeats: false } }));
  expect([questions, paid.length]).toEqual([1, 2]);
});

test('arguments that a tool refuses are never asked about', async () => {
  verifies('agent.loop.approval.arguments');
  const { paid, tool } = payments();
  const approve: Approve = () => {
    throw new Error('asked');
  };
  const calls = ['{"amount":"five"}', '{"amount":5,"dryRun":true}', '{"amount":5,"amount":6}', '{"amount":'].map(
    (text, index) => ({ ...pay(text), id: `p${index}` }),
  );
  const provider = scriptedProvider([{ calls }, { text: 'ok' }]);
  const result = await collect(run({ provider, model, messages, tools: createRegistry([tool]), approve }));
  expect(result.toolCalls.map(({ result: { code } }) => code)).toEqual(calls.map(() => 'ARGUMENTS_INVALID'));
  expect(paid).toEqual([]);
});

test.each(['during the question', 'at the start of the call'])(
  'a tool that is replaced in the registry %s runs as it was shown: the new one was not',
  async (when) => {
    verifies('agent.loop.approval.changed');
    const first = payments('write');
    const second = payments('write');
    const tools = createRegistry([first.tool]);
    let asked = 0;
    const approve: Approve = () => {
      asked += 1;
      if (asked === 1 && when === 'during the question') tools.replace({ ...second.tool, tool: first.tool.tool });
      return asked === 1 ? allow : { decision: 'deny', reason: 'no' };
    };
    // A back-pressured reader: the call starts long after it was approved.
    const steps: StepExecutor = {
      all: (batch) =>
        Promise.all(
          batch.map((step) => {
            if (when !== 'at the start of the call' || !step.id.startsWith('tool:')) return step.run();
            return step.run({
              emit: (event) => {
                if (event.type === 'tool-start') tools.replace({ ...second.tool, tool: first.tool.tool });
              },
            });
          }),
        ),
    };
    const provider = scriptedProvider([{ calls: [pay('{"amount":5}')] }, { text: 'ok' }]);
    const result = await collect(run({ provider, model, messages, tools, approve, steps }));
    expect(result.reason).toBe('done');
    expect([first.paid, second.paid]).toEqual([[{ amount: 5, currency: 'EUR' }], []]);
  },
);

const mounted = (tools: ToolRegistry): ToolRegistry => {
  const outer = createRegistry();
  outer.mount('m', tools);
  return outer;
};
const raised = (tools: Toolset): Toolset =>
  withHooks(tools, {
    beforeTool: (call) => ({ action: 'change', call: { ...call, arguments: call.arguments.replace('5', '7') } }),
  });

const AROUND: readonly (readonly [string, string, (tools: ToolRegistry) => Toolset])[] = [
  ['a registry', 'pay', (tools) => tools],
  ['a view', 'pay', (tools) => tools.view()],
  ['a snapshot', 'pay', (tools) => tools.snapshot()],
  ['a registry that is mounted', 'm_pay', mounted],
  ['a registry that is mounted twice', 'm_m_pay', (tools) => mounted(mounted(tools))],
  ['hooks that change the call', 'pay', raised],
  ['hooks around a mounted registry', 'm_pay', (tools) => raised(mounted(tools))],
  ['a policy for late results', 'pay', (tools) => withAsyncPolicy(tools, {})],
  ['a choice of tools', 'pay', (tools) => withSelectedTools(tools, (all) => all)],
  ['rules', 'pay', (tools) => withPermissions(tools, permissions([{ ask: 'pay' }]))],
  ['rules around hooks', 'pay', (tools) => withPermissions(raised(tools), permissions([{ ask: 'pay' }]))],
];
const CHANGES = ['nothing', 'replace', 'unregister', 'disable', 'edit'] as const;

test.each(AROUND.flatMap(([around, name, wrap]) => CHANGES.map((change) => [around, change, name, wrap] as const)))(
  'with %s, what was shown is what runs, whatever happens during the question: %s',
  async (_around, change, name, wrap) => {
    verifies('agent.loop.approval', 'tools.call.approved');
    const [first, second] = [payments(), payments()];
    const registry = createRegistry([first.tool]);
    const shown: unknown[] = [];
    const approve: Approve = ({ call, tool }) => {
      shown.push(JSON.parse(call.arguments));
      expect([call.name, tool.name]).toEqual([name, name]);
      if (change === 'replace') registry.replace(second.tool);
      if (change === 'unregister') registry.unregister('pay');
      if (change === 'disable') registry.disable(['pay']);
      return change === 'edit' ? { decision: 'edit', arguments: '{"amount":"9"}' } : allow;
    };
    const provider = scriptedProvider([{ calls: [{ ...pay('{"amount":"5"}'), name }] }, { text: 'ok' }]);
    const result = await collect(run({ provider, model, messages, tools: wrap(registry), approve }));
    expect(result.reason).toBe('done');
    expect(shown).toHaveLength(1);
    expect([first.paid, second.paid]).toEqual([change === 'edit' ? [{ amount: 9, currency: 'EUR' }] : shown, []]);
  },
);

test('an agent in a registry waits in a session file, and another process decides for both levels', async () => {
  verifies('agent.loop.approval.agents', 'agent.loop.approval.later');
  const folder = mkdtempSync(join(tmpdir(), 'kernel-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'a.jsonl');
  const { paid, tool } = payments();
  const approveLater: Approve = ({ path: around }) => (around.length > 0 ? { decision: 'later' } : allow);

  /** What one process does: it opens the file, runs, and closes it. */
  async function inProcess(
    outer: readonly ScriptStep[],
    inner: readonly ScriptStep[],
    approve: Approve,
    added?: typeof messages,
  ) {
    const helper = agentAsTool({
      name: 'helper',
      description: 'Helps.',
      run: { provider: scriptedProvider(inner), model, tools: createRegistry([tool]) },
    });
    const tools = createRegistry([helper]);
    const session = await openFileSession(path);
    const provider = scriptedProvider(outer);
    const result = await collect(runSession({ session, provider, model, messages: added, tools, approve }));
    await session.close();
    return result;
  }
  const call = { name: 'helper', id: 'h', arguments: { task: 'Pay.' } };
  const first = await inProcess([{ calls: [call] }], [{ calls: [pay('{"amount":"5"}')] }], approveLater, messages);
  expect(first).toMatchObject({
    reason: 'approval',
    pending: [{ name: 'pay', path: ['h'], tool: { effect: 'external' }, arguments: '{"amount":5,"currency":"EUR"}' }],
  });
  expect(paid).toEqual([]);
  const asked: string[] = [];
  const approve: Approve = ({ call: { name } }) => {
    asked.push(name);
    return allow;
  };
  const second = await inProcess([{ text: 'All paid.' }], [{ text: 'Paid.' }], approve);
  expect(second).toMatchObject({ reason: 'done', answer: 'All paid.' });
  expect(asked).toEqual(['pay']);
  expect(paid).toEqual([{ amount: 5, currency: 'EUR' }]);
  expect(await inProcess([{ text: 'Nothing more.' }], [], approve, messages)).toMatchObject({ reason: 'done' });
  expect(paid).toHaveLength(1);
});
