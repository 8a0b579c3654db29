import {
  type Approve,
  type JsonObject,
  KernelError,
  type PreparedCall,
  type StepExecutor,
  type Tool,
  toErrorResult,
  type ToolResult,
  type Toolset,
  wrapCalls,
} from '@kernel/protocol';
import { createMemoryJournal, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import {
  agentAsTool,
  collect,
  createSteering,
  inProcessSteps,
  rememberApprovals,
  run,
  withHooks,
} from '../../src/index.ts';
import { expectSound, readAll, toolsetOf, user } from '../support.ts';
import { skipTime } from '../../../../test/setup/skip-time.ts';

const definition: Tool = {
  name: 'remove',
  description: 'Removes a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  effect: 'write',
};

/** A toolset with one tool that can be replaced or removed. It keeps only `path` of the arguments, and refuses those without. */
function replaceable(tool: Tool = definition) {
  let list: readonly Tool[] = Object.freeze([Object.freeze({ ...tool })]);
  let handler = 'first';
  const ran: string[] = [];
  const prepared: string[] = [];
  const toolset: Toolset = {
    list: () => list,
    prepare(call) {
      prepared.push(call.arguments);
      const [offered] = list;
      const { path } = JSON.parse(call.arguments) as { path?: string };
      if (offered === undefined) return toErrorResult(new KernelError('TOOL_NOT_FOUND', 'There is no tool.'));
      if (path === undefined) return toErrorResult(new KernelError('ARGUMENTS_INVALID', 'path is missing.'));
      const text = JSON.stringify({ path });
      const shown = `${handler} ${text}`;
      return {
        tool: offered,
        arguments: text,
        async run() {
          ran.push(shown);
          return { forLLM: 'removed' };
        },
      };
    },
  };
  return {
    toolset,
    ran,
    prepared,
    replace(change: Partial<Tool> = {}, next = 'second') {
      list = Object.freeze([Object.freeze({ ...definition, ...change })]);
      handler = next;
    },
    remove() {
      list = Object.freeze([]);
    },
  };
}

const remove = (args: JsonObject) => ({ name: 'remove', id: '1', arguments: args });
const go = (tools: Toolset, approve: Approve, calls = [remove({ path: 'a', extra: 1 })], steps?: StepExecutor) =>
  collect(
    run({
      provider: scriptedProvider([{ calls }, { text: 'ok' }]),
      model: 'm',
      messages: [user('Go')],
      tools,
      approve,
      steps,
    }),
  );
const allow = { decision: 'allow' } as const;

test('the approver and the event see the arguments that the handler gets, and the tool', async () => {
  verifies('agent.loop.approval.arguments');
  const { toolset, ran } = replaceable();
  const seen: unknown[] = [];
  const events = await readAll(
    run({
      provider: scriptedProvider([{ calls: [remove({ path: 'a', extra: 1 })] }, { text: 'ok' }]),
      model: 'm',
      messages: [user('Go')],
      tools: toolset,
      approve: ({ call, tool, path, digest }) => {
        seen.push(call.arguments, tool, path, digest.length);
        return allow;
      },
    }),
  );
  expect(seen).toEqual(['{"path":"a"}', toolset.list()[0], [], 64]);
  expect(events.find(({ type }) => type === 'approval-request')).toMatchObject({ call: { arguments: '{"path":"a"}' } });
  expect(ran).toEqual(['first {"path":"a"}']);
});

test('pending calls hold the arguments that the handler would get', async () => {
  verifies('agent.loop.approval.arguments');
  const result = await go(replaceable().toolset, () => ({ decision: 'later' }));
  expect(result).toMatchObject({ reason: 'approval', pending: [{ arguments: '{"path":"a"}' }] });
});

test('a call with invalid arguments fails without a question, and so does an invalid edit', async () => {
  verifies('agent.loop.approval.arguments');
  const { toolset, ran } = replaceable();
  let asked = 0;
  const edit: Approve = () => {
    asked += 1;
    return { decision: 'edit', arguments: '{}' };
  };
  const result = await go(toolset, edit, [remove({}), { ...remove({ path: 'a' }), id: '2' }]);
  expect(asked).toBe(1);
  expect(ran).toEqual([]);
  expect(result.toolCalls.map(({ result: { code } }) => code)).toEqual(['ARGUMENTS_INVALID', 'ARGUMENTS_INVALID']);
  expectSound(result.messages);
});

test.each([
  ['replaced by an equal one', {}],
  ['given another effect', { effect: 'external' }],
  ['given another schema', { parameters: { type: 'object' } }],
  ['given another description', { description: 'Removes everything.' }],
] as const)('a tool that is %s during the question runs as it was shown', async (_name, change) => {
  verifies('agent.loop.approval');
  const { toolset, ran, replace } = replaceable();
  const asked: Tool[] = [];
  await go(toolset, ({ tool }) => {
    asked.push(tool);
    replace(change);
    return allow;
  });
  expect(asked).toEqual([definition]);
  expect(ran).toEqual(['first {"path":"a"}']);
});

test('a tool that is removed during the question runs as it was shown', async () => {
  verifies('agent.loop.approval');
  const { toolset, ran, remove: removeTool } = replaceable();
  await go(toolset, () => {
    removeTool();
    return allow;
  });
  expect(ran).toEqual(['first {"path":"a"}']);
});

/** Runs `work` once, before the batch of calls. */
const beforeCalls = (work: () => void): StepExecutor => {
  let hasRun = false;
  return {
    all(batch) {
      if (!hasRun && batch[0]?.id.startsWith('tool:') === true) {
        hasRun = true;
        work();
      }
      return inProcessSteps.all(batch);
    },
  };
};

test('a tool that is replaced after the decision and before the call runs as it was shown', async () => {
  verifies('agent.loop.approval');
  const { toolset, ran, replace } = replaceable();
  const steps = beforeCalls(() => replace({ effect: 'external' }));
  await go(toolset, () => allow, [remove({ path: 'a' })], steps);
  expect(ran).toEqual(['first {"path":"a"}']);
});

test('a read-only tool that becomes one with effects before the call runs as it was prepared', async () => {
  const { toolset, ran, replace } = replaceable({ ...definition, effect: 'read' });
  const steps = beforeCalls(() => replace());
  await go(toolset, () => ({ decision: 'deny', reason: 'no' }), [remove({ path: 'a' })], steps);
  expect(ran).toEqual(['first {"path":"a"}']);
});

test('a call is prepared once, whoever is asked about it, and once more for an edit', async () => {
  const one = replaceable();
  await go(one.toolset, () => allow);
  expect(one.prepared).toEqual(['{"path":"a","extra":1}']);
  const two = replaceable();
  await go(two.toolset, () => ({ decision: 'edit', arguments: '{"path":"b","more":2}' }));
  expect(two.prepared).toEqual(['{"path":"a","extra":1}', '{"path":"b","more":2}']);
  expect(two.ran).toEqual(['first {"path":"b"}']);
  const three = replaceable();
  await collect(run({ ...journaled, provider: twoSteps(), tools: three.toolset, steps: createMemoryJournal() }));
  expect(three.prepared).toHaveLength(1);
});

test('all calls of a reply are prepared before anybody is asked about one', async () => {
  const seen: string[] = [];
  const { toolset } = replaceable();
  const tools = wrapCalls(toolset, (prepared, { id }) => (seen.push(`prepared ${id}`), prepared));
  const calls = ['1', '2'].map((id) => ({ ...remove({ path: id }), id }));
  await go(
    tools,
    ({ call }) => {
      seen.push(`asked ${call.id}`);
      return allow;
    },
    calls,
  );
  expect(seen).toEqual(['prepared 1', 'prepared 2', 'asked 1', 'asked 2']);
});

test.each([
  ['ids of their own', ['1', '2']],
  ['the same id', ['1', '1']],
])('two calls of one reply with %s are each run as they were shown', async (_name, ids) => {
  verifies('agent.loop.approval');
  const { toolset, ran } = replaceable();
  const calls = ids.map((id, at) => ({ ...remove({ path: `p${at}` }), id }));
  const result = await go(
    toolset,
    ({ call }) => (call.arguments === '{"path":"p0"}' ? { decision: 'edit', arguments: '{"path":"p9"}' } : allow),
    calls,
  );
  expect(ran.toSorted()).toEqual(['first {"path":"p1"}', 'first {"path":"p9"}']);
  expectSound(result.messages);
});

const journaled = { model: 'm', messages: [user('Go')], runId: 'r', approve: () => allow };
const twoSteps = () => scriptedProvider([{ calls: [remove({ path: 'a', extra: 1 })] }, { text: 'ok' }]);

/** What one process recorded before the call ran: the reply, and what was decided. */
async function recordedDecision(tools: Toolset = replaceable().toolset, approve: Approve = () => allow) {
  const journal = createMemoryJournal();
  await collect(run({ ...journaled, approve, provider: twoSteps(), tools, steps: journal }));
  return new Map([...journal.entries].filter(([id]) => id === 'model:1' || id === 'approve:1'));
}

const inAnotherProcess = (tools: Toolset, entries: Awaited<ReturnType<typeof recordedDecision>>, rest = {}) =>
  collect(
    run({
      ...journaled,
      approve: () => Promise.reject(new Error('asked again')),
      provider: scriptedProvider([{ text: 'ok' }]),
      tools,
      steps: createMemoryJournal({ entries: new Map(entries) }),
      ...rest,
    }),
  );

test('another process prepares an allowed call again, and runs it if it is the same', async () => {
  verifies('agent.loop.approval.changed');
  const { toolset, ran } = replaceable();
  const result = await inAnotherProcess(toolset, await recordedDecision());
  expect([result.reason, ran]).toEqual(['done', ['first {"path":"a"}']]);
  const edited = replaceable();
  const edit: Approve = () => ({ decision: 'edit', arguments: '{"path":"b","more":2}' });
  await inAnotherProcess(edited.toolset, await recordedDecision(undefined, edit));
  expect(edited.ran).toEqual(['first {"path":"b"}']);
});

test.each([
  ['another effect', { effect: 'external' }],
  ['another schema', { parameters: { type: 'object' } }],
  ['another description', { description: 'Removes everything.' }],
  ['another name', { name: 'remove_all' }],
] as const)('a call that was allowed does not run in another process where its tool has %s', async (_name, change) => {
  verifies('agent.loop.approval.changed');
  const { toolset, ran, replace } = replaceable();
  replace(change);
  const result = await inAnotherProcess(toolset, await recordedDecision());
  expect(ran).toEqual([]);
  expect(result.toolCalls[0]?.result).toMatchObject({ isError: true, code: 'TOOL_SKIPPED', outcome: 'skipped' });
  expect(result.toolCalls[0]?.result.forLLM).toContain('what was allowed has changed since');
  expect(result.toolCalls[0]?.result.forLLM).toContain('Call it again to be asked');
  expectSound(result.messages);
});

test('a call that was allowed does not run in another process where its arguments become others', async () => {
  verifies('agent.loop.approval.changed');
  const { toolset, ran } = replaceable();
  const tools = withHooks(toolset, {
    beforeTool: (call) => ({ action: 'change', call: { ...call, arguments: '{"path":"/"}' } }),
  });
  const result = await inAnotherProcess(tools, await recordedDecision());
  expect([ran, result.toolCalls[0]?.result.outcome]).toEqual([[], 'skipped']);
});

test('a call that was allowed and whose tool is gone in another process is the failure that its toolset gives', async () => {
  const { toolset, ran, remove: removeTool } = replaceable();
  removeTool();
  const result = await inAnotherProcess(toolset, await recordedDecision());
  expect([ran, result.toolCalls[0]?.result.code]).toEqual([[], 'TOOL_NOT_FOUND']);
});

test('a call that nobody had to allow does not run in another process where somebody must', async () => {
  verifies('agent.loop.approval.changed');
  const entries = await recordedDecision(replaceable({ ...definition, effect: 'read' }).toolset);
  expect([...entries.keys()]).toEqual(['model:1']);
  const asking = replaceable();
  const result = await inAnotherProcess(asking.toolset, entries);
  expect([asking.ran, result.toolCalls[0]?.result.outcome]).toEqual([[], 'skipped']);
  const nobody = replaceable({ ...definition, effect: 'read' });
  const tools = wrapCalls(nobody.toolset, (prepared) => ({ ...prepared, needsApproval: true }));
  const denied = await inAnotherProcess(tools, entries, { approve: undefined });
  expect([nobody.ran, denied.toolCalls[0]?.result.outcome]).toEqual([[], 'denied']);
});

test('the turn of a call begins in another process before the call is prepared there', async () => {
  const seen: string[] = [];
  const { toolset } = replaceable();
  const tools: Toolset = {
    ...toolset,
    async listFor({ turn }) {
      await Promise.resolve();
      seen.push(`turn ${turn}`);
      return toolset.list();
    },
    prepare(call, context) {
      seen.push(`prepare in turn ${context.turn?.turn}`);
      return toolset.prepare(call, context);
    },
  };
  await inAnotherProcess(tools, await recordedDecision());
  expect(seen).toEqual(['turn 1', 'prepare in turn 1', 'turn 2']);
});

test.each([
  ['the digest', (output: Record<string, unknown>) => ({ ...output, digest: 'f'.repeat(64) })],
  ['the arguments', () => ({ decision: 'edit', arguments: '{"path":"b"}', digest: 'f'.repeat(64) })],
])('a decision whose record has other values for %s is not taken for an approval', async (_name, tamper) => {
  verifies('agent.loop.approval', 'agent.loop.approval.changed');
  const { toolset, ran } = replaceable();
  const steps: StepExecutor = {
    async all(batch) {
      const outputs = await inProcessSteps.all(batch);
      if (batch[0]?.id.startsWith('approve:') !== true) return outputs;
      return outputs.map((output) => tamper(output as Record<string, unknown>) as never);
    },
  };
  const result = await go(toolset, () => allow, [remove({ path: 'a' })], steps);
  expect([ran, result.toolCalls[0]?.result.outcome]).toEqual([[], 'skipped']);
});

/** A policy as a wrapper: looked at when a call is prepared, and once more when it runs. */
const withRules = (tools: Toolset, isDenied: () => boolean): Toolset => {
  const refusal = (): ToolResult | undefined =>
    isDenied() ? toErrorResult(new KernelError('TOOL_DENIED', 'A rule denies it.'), 'denied') : undefined;
  return wrapCalls(
    tools,
    (prepared) => refusal() ?? { ...prepared, run: async (running) => refusal() ?? (await prepared.run(running)) },
  );
};

test('a rule that denies is not asked about, and one that comes during the question keeps the call from running', async () => {
  verifies('agent.loop.approval');
  for (const comesLater of [false, true]) {
    let isDenied = !comesLater;
    let asked = 0;
    const { toolset, ran } = replaceable();
    // oxlint-disable-next-line no-await-in-loop -- one run after another
    const result = await go(
      withRules(toolset, () => isDenied),
      () => {
        asked += 1;
        isDenied = true;
        return allow;
      },
    );
    expect([asked, ran, result.toolCalls[0]?.result.outcome]).toEqual([Number(comesLater), [], 'denied']);
  }
});

test('a rule that no longer denies does not run what was refused', async () => {
  let isDenied = true;
  const { toolset, ran } = replaceable();
  const steps = beforeCalls(() => (isDenied = false));
  const result = await go(
    withRules(toolset, () => isDenied),
    () => allow,
    [remove({ path: 'a' })],
    steps,
  );
  expect([ran, result.toolCalls[0]?.result.outcome]).toEqual([[], 'denied']);
});

test('what a hook makes of a call is what is approved, and the hook runs once', async () => {
  verifies('agent.loop.approval.arguments');
  const { toolset, ran } = replaceable();
  let hooked = 0;
  const tools = withHooks(toolset, {
    beforeTool: (call) => {
      hooked += 1;
      return { action: 'change', call: { ...call, arguments: '{"path":"b","extra":2}' } };
    },
  });
  const seen: string[] = [];
  await go(tools, ({ call }) => {
    seen.push(call.arguments);
    return allow;
  });
  expect(seen).toEqual(['{"path":"b"}']);
  expect(ran).toEqual(['first {"path":"b"}']);
  expect(hooked).toBe(1);
});

test('an edit goes through the hooks as the call did, and what they make of it runs', async () => {
  verifies('agent.hooks.approval');
  const { toolset, ran } = replaceable();
  const tools = withHooks(toolset, {
    beforeTool: (call) => ({
      action: 'change',
      call: { ...call, arguments: call.arguments.replace('/tmp', '/safe') },
    }),
  });
  const shown: string[] = [];
  await go(
    tools,
    ({ call }) => {
      shown.push(call.arguments);
      return { decision: 'edit', arguments: '{"path":"/tmp/b"}' };
    },
    [remove({ path: '/tmp/a' })],
  );
  expect(shown).toEqual(['{"path":"/safe/a"}']);
  expect(ran).toEqual(['first {"path":"/safe/b"}']);
});

test.each([
  ['a tool that only reads', 'read', true, 1],
  ['a tool that writes', 'write', false, 0],
] as const)(
  'what a toolset says of a call of %s counts: needsApproval',
  async (_name, effect, needsApproval, count) => {
    const { toolset, ran } = replaceable({ ...definition, effect });
    let asked = 0;
    const tools = wrapCalls(toolset, (prepared) => ({ ...prepared, needsApproval }));
    await go(tools, () => {
      asked += 1;
      return allow;
    });
    expect([asked, ran]).toEqual([count, ['first {"path":"a"}']]);
  },
);

test('a call that needs an approval never runs where nobody can be asked', async () => {
  verifies('agent.loop.approval.default');
  const { toolset, ran } = replaceable();
  const tools = wrapCalls(toolset, (prepared) => ({ ...prepared, needsApproval: true }));
  const result = await collect(run({ provider: twoSteps(), model: 'm', messages: [user('Go')], tools }));
  expect(ran).toEqual([]);
  expect(result.toolCalls[0]?.result).toMatchObject({ code: 'TOOL_DENIED', outcome: 'denied' });
  expect(result.toolCalls[0]?.result.forLLM).toContain('nobody can be asked');
});

test('a parked call is prepared again when the run goes on, and its decision holds if it is the same', async () => {
  verifies('agent.loop.approval.later');
  const first = await go(replaceable().toolset, () => ({ decision: 'later' }));
  const [pending] = first.reason === 'approval' ? first.pending : [];
  const options = { model: 'm', messages: first.messages };
  for (const [change, expected] of [
    [undefined, ['first {"path":"a"}']],
    [{ description: 'Removes everything.' }, []],
  ] as const) {
    const { toolset, ran, replace } = replaceable();
    if (change !== undefined) replace(change);
    const approve: Approve = () => ({ decision: 'allow', digest: pending?.digest });
    const provider = scriptedProvider([{ text: 'ok' }]);
    // oxlint-disable-next-line no-await-in-loop -- one run after another
    await collect(run({ ...options, provider, tools: toolset, approve }));
    expect(ran).toEqual(expected);
  }
});

type Prepare = () => ReturnType<Toolset['prepare']>;
const broken = (prepare: unknown): Toolset => ({ list: () => [definition], prepare: prepare as Prepare });
const fail = (): never => {
  throw new Error('socket closed');
};

test.each([
  ['throws', fail, 'socket closed'],
  ['rejects', () => Promise.reject(new Error('socket closed')), 'socket closed'],
  ['gives nothing', () => undefined, 'gave nothing'],
  ['gives null', () => null, 'gave null'],
  ['gives a call without a run', () => ({ tool: definition, arguments: '{}' }), 'gave an object'],
  ['gives a promise of a text', () => Promise.resolve('done'), 'gave a string'],
  // oxlint-disable-next-line unicorn/no-thenable -- what is tested
  ['gives a thenable', () => ({ then: (done: (value: unknown) => void) => done({ forLLM: 'x' }) }), 'gave an object'],
  [
    'gives a call that throws when it is read',
    () => ({
      tool: definition,
      run: fail,
      get arguments() {
        return fail();
      },
    }),
    'socket closed',
  ],
])('a toolset whose prepare %s fails its call, and nobody is asked', async (_name, prepare, why) => {
  verifies('agent.loop.fault', 'agent.run.neverRejects');
  let asked = 0;
  const result = await go(broken(prepare), () => {
    asked += 1;
    return allow;
  });
  expect([result.reason, asked]).toEqual(['done', 0]);
  expect(result.toolCalls[0]?.result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(result.toolCalls[0]?.result.forLLM).toContain(why);
  expectSound(result.messages);
});

test('a toolset whose prepare never settles is left on abort, and the history stays sound', async () => {
  verifies('agent.loop.abort');
  const stop = new AbortController();
  const tools = broken(() => {
    queueMicrotask(() => stop.abort());
    return new Promise(() => {});
  });
  const result = await collect(
    run({ provider: twoSteps(), model: 'm', messages: [user('Go')], tools, signal: stop.signal }),
  );
  expect(result.reason).toBe('aborted');
  expect(result.messages.at(-1)).toMatchObject({ role: 'tool', isError: true });
  expect(result.messages.at(-1)?.content).toContain('it was not started');
  expectSound(result.messages);
});

test('a call that another process prepares again is left on abort, and was not started', async () => {
  verifies('agent.loop.abort');
  const stop = new AbortController();
  const tools = broken(() => {
    queueMicrotask(() => stop.abort());
    return new Promise(() => {});
  });
  const result = await inAnotherProcess(tools, await recordedDecision(), { signal: stop.signal });
  expect(result.reason).toBe('aborted');
  const last = result.messages.at(-1);
  expect(last).toMatchObject({ role: 'tool', isError: true });
  expect(last?.content).toContain('TOOL_CANCELLED: "remove" was stopped by the caller; it was not started');
});

const preparing = (runs: () => unknown): Toolset => broken(() => ({ tool: definition, arguments: '{}', run: runs }));

test.each([
  ['throws', fail],
  ['rejects', () => Promise.reject(new Error('socket closed'))],
])('a prepared call whose run %s is a failure that the model reads', async (_name, runs) => {
  verifies('agent.loop.fault', 'agent.run.neverRejects');
  const result = await go(preparing(runs), () => allow);
  expect(result.reason).toBe('done');
  expect(result.toolCalls[0]?.result).toMatchObject({ isError: true, code: 'TOOL_FAILED' });
  expect(result.toolCalls[0]?.result.forLLM).toContain('socket closed');
});

describe('in virtual time', () => {
  skipTime();

  test('a prepared call whose run never settles is left soon after an abort, and may still be running', async () => {
    verifies('agent.loop.abort');
    const stop = new AbortController();
    const tools = preparing(() => {
      queueMicrotask(() => stop.abort());
      return new Promise(() => {});
    });
    const result = await collect(
      run({ provider: twoSteps(), model: 'm', messages: [user('Go')], tools, signal: stop.signal }),
    );
    expect(result.reason).toBe('aborted');
    expect(result.messages.at(-1)?.content).toContain('it may still be running');
  });
});

test('a call whose run is aborted while its executor records it is not started', async () => {
  verifies('agent.loop.abort');
  const stop = new AbortController();
  const { toolset, ran } = replaceable();
  const steps: StepExecutor = {
    all: (batch) => Promise.all(batch.map((step) => step.run({ beforeHandler: () => stop.abort() }))),
  };
  const result = await collect(run({ ...journaled, provider: twoSteps(), tools: toolset, steps, signal: stop.signal }));
  expect([result.reason, ran]).toEqual(['aborted', []]);
});

test.each([undefined, true])('started is called once and before the call, where awaitsStarted is %s', async (own) => {
  verifies('durable.beforeHandler');
  const seen: string[] = [];
  const prepared: PreparedCall = {
    tool: definition,
    arguments: '{}',
    awaitsStarted: own,
    async run({ started }) {
      await started?.();
      seen.push('handler');
      return { forLLM: 'removed' };
    },
  };
  const steps: StepExecutor = {
    all: (batch) =>
      Promise.all(batch.map((step) => step.run({ beforeHandler: () => void seen.push(`started ${step.id}`) }))),
  };
  await go(
    broken(() => prepared),
    () => allow,
    [remove({})],
    steps,
  );
  expect(seen).toEqual(['started tool:1', 'handler']);
});

test('steering that comes between the preparation and the call skips it', async () => {
  verifies('agent.loop.steer');
  const steering = createSteering();
  const { toolset, ran, prepared } = replaceable();
  const steps = beforeCalls(() => steering.steer('Something else.'));
  const options = { provider: twoSteps(), model: 'm', messages: [user('Go')], tools: toolset };
  const result = await collect(run({ ...options, steps, steering }));
  expect([ran, prepared.length, result.toolCalls[0]?.result.outcome]).toEqual([[], 1, 'skipped']);
});

test('a limit of calls counts what was made, and what is over it is not asked about', async () => {
  const { toolset, ran } = replaceable();
  let asked = 0;
  const calls = ['1', '2'].map((id) => ({ ...remove({ path: id }), id }));
  const provider = scriptedProvider([{ calls }, { text: 'ok' }]);
  const approve: Approve = () => {
    asked += 1;
    return allow;
  };
  const limits = { callsPerTool: 1 };
  await collect(run({ provider, model: 'm', messages: [user('Go')], tools: toolset, approve, limits }));
  expect([asked, ran]).toEqual([1, ['first {"path":"1"}']]);
});

test('an agent within a call asks about what its own run prepared, and runs that', async () => {
  verifies('agent.loop.approval');
  const { toolset, ran, replace } = replaceable();
  const inner = { provider: twoSteps(), model: 'm', tools: toolset };
  const outer = toolsetOf([agentAsTool({ name: 'helper', description: '', effect: 'read', run: inner })]);
  const shown: unknown[] = [];
  const provider = scriptedProvider([
    { calls: [{ name: 'helper', id: '1', arguments: { task: 't' } }] },
    { text: 'ok' },
  ]);
  const approve: Approve = ({ call, path }) => {
    shown.push([...path, call.arguments]);
    replace({ effect: 'external' });
    return allow;
  };
  await collect(run({ provider, model: 'm', messages: [user('Go')], tools: outer, approve }));
  expect(shown).toEqual([['1', '{"path":"a"}']]);
  expect(ran).toEqual(['first {"path":"a"}']);
});

test.each(['tool', 'arguments', () => 'all'] as const)(
  'rememberApprovals asks again about a tool that was replaced or has changed, by the rule %s',
  async (rule) => {
    verifies('agent.loop.approval.changed');
    const { toolset, ran, replace } = replaceable();
    let asked = 0;
    const approve = rememberApprovals(() => {
      asked += 1;
      return allow;
    }, rule);
    await go(toolset, approve);
    await go(toolset, approve);
    expect(asked).toBe(1);
    replace({ effect: 'external' });
    await go(toolset, approve);
    expect(asked).toBe(2);
    replace({ effect: 'external' }, 'third');
    await go(toolset, approve);
    expect(asked).toBe(3);
    expect(ran).toHaveLength(4);
  },
);

test('a reader of the events cannot change what the approver is shown', async () => {
  verifies('agent.loop.approval.arguments');
  const { ran, toolset } = replaceable();
  const shown: string[] = [];
  const approve: Approve = ({ call }) => {
    shown.push(call.arguments);
    return { decision: 'allow' };
  };
  const messages = [user('Go')];
  const provider = scriptedProvider([{ calls: [{ name: 'remove', arguments: { path: '/home' } }] }, { text: 'ok' }]);
  const written: boolean[] = [];
  for await (const event of run({ provider, model: 'm', messages, tools: toolset, approve }))
    if (event.type === 'approval-request') written.push(Reflect.set(event.call, 'arguments', '{"path":"/tmp"}'));
  expect(written).toEqual([false]);
  expect([shown, ran]).toEqual([['{"path":"/home"}'], ['first {"path":"/home"}']]);
});

test('an edit that a hook turns into a call of another tool does not run', async () => {
  verifies('agent.loop.approval.arguments');
  const { ran, toolset } = replaceable();
  const other = Object.freeze({ ...definition, name: 'wipe' });
  const hooked = wrapCalls(toolset, (prepared) =>
    prepared.arguments.includes('b') ? { ...prepared, tool: other } : prepared,
  );
  const provider = scriptedProvider([{ calls: [{ name: 'remove', arguments: { path: 'a' } }] }, { text: 'ok' }]);
  const approve: Approve = () => ({ decision: 'edit', arguments: '{"path":"b"}' });
  const result = await collect(run({ provider, model: 'm', messages: [user('Go')], tools: hooked, approve }));
  expect(ran).toEqual([]);
  expect(result.toolCalls[0]?.result).toMatchObject({ isError: true, outcome: 'skipped' });
  expect(result.toolCalls[0]?.result.forLLM).toContain('it is a call of "wipe"');
});
