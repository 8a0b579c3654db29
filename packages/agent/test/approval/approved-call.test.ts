import {
  type CallContext,
  type JsonObject,
  KernelError,
  type Tool,
  toErrorResult,
  type ToolCall,
  type ToolResult,
  type Toolset,
  type ValidatedCall,
  type Approve,
  type StepExecutor,
} from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, inProcessSteps, rememberApprovals, run, withHooks } from '../../src/index.ts';
import { expectSound, readAll, user } from '../support.ts';

const definition: Tool = {
  name: 'remove',
  description: 'Removes a file.',
  parameters: { type: 'object', properties: { path: { type: 'string' } } },
  effect: 'write',
};

/** A toolset with one tool that can be replaced. It keeps only `path` of the arguments, and refuses those without. */
function replaceable(tool: Tool = definition) {
  let list: readonly Tool[] = Object.freeze([Object.freeze({ ...tool })]);
  let handler = 'first';
  const ran: string[] = [];
  const inputOf = (call: ToolCall): string | undefined => {
    const { path } = JSON.parse(call.arguments) as { path?: string };
    return path === undefined ? undefined : JSON.stringify({ path });
  };
  const invalid = (): ToolResult => toErrorResult(new KernelError('ARGUMENTS_INVALID', 'path is missing.'));
  const toolset: Toolset = {
    list: () => list,
    validate: async (call): Promise<ValidatedCall | ToolResult> => {
      const [offered] = list;
      const text = inputOf(call);
      const seen = handler;
      if (text === undefined || offered === undefined) return invalid();
      return { tool: offered, arguments: text, isCurrent: () => seen === handler && list[0] === offered };
    },
    call: async (call, { approved }: CallContext) => {
      const text = approved?.arguments ?? inputOf(call);
      if (text === undefined) return invalid();
      ran.push(`${handler} ${text}`);
      return { forLLM: 'removed' };
    },
  };
  return {
    toolset,
    ran,
    replace(change: Partial<Tool> = {}, next = 'second') {
      list = Object.freeze([Object.freeze({ ...definition, ...change })]);
      handler = next;
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
] as const)('a tool that is %s during the question is asked about again', async (_name, change) => {
  verifies('agent.loop.approval.changed');
  const { toolset, ran, replace } = replaceable();
  const asked: Tool[] = [];
  await go(toolset, ({ tool }) => {
    asked.push(tool);
    if (asked.length === 1) replace(change);
    return allow;
  });
  expect(asked).toHaveLength(2);
  expect(asked[1]).toMatchObject(change);
  expect(ran).toEqual(['second {"path":"a"}']);
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

test('a tool that is replaced after the decision and before the call is asked about again', async () => {
  verifies('agent.loop.approval.changed');
  const { toolset, ran, replace } = replaceable();
  const asked: string[] = [];
  const decide: Approve = ({ tool }) => {
    asked.push(tool.effect ?? 'none');
    return asked.length === 1 ? allow : { decision: 'deny', reason: 'not any more' };
  };
  const result = await go(
    toolset,
    decide,
    [remove({ path: 'a' })],
    beforeCalls(() => replace({ effect: 'external' })),
  );
  expect(asked).toEqual(['write', 'external']);
  expect(ran).toEqual([]);
  expect(result.toolCalls[0]?.result.forLLM).toContain('not any more');
});

test('a tool that becomes one that needs a decision is asked about before it runs', async () => {
  verifies('agent.loop.approval.changed');
  const { toolset, ran, replace } = replaceable({ ...definition, effect: 'read' });
  const result = await go(
    toolset,
    () => ({ decision: 'later' }),
    [remove({ path: 'a' })],
    beforeCalls(() => replace()),
  );
  expect(result).toMatchObject({ reason: 'approval', pending: [{ name: 'remove' }], toolCalls: [] });
  expect(ran).toEqual([]);
});

test('a tool that is replaced as its call starts is denied, even if its toolset cannot validate', async () => {
  verifies('agent.loop.approval.changed');
  const { toolset, ran, replace } = replaceable();
  const { validate: _validate, ...rest } = toolset;
  const steps: StepExecutor = {
    all: (batch) =>
      Promise.all(
        batch.map((step) => {
          if (!step.id.startsWith('tool:')) return step.run();
          return step.run({
            emit: (event) => {
              if (event.type === 'tool-start') replace({ effect: 'external' });
            },
          });
        }),
      ),
  };
  const result = await go(rest, () => allow, [remove({ path: 'a' })], steps);
  expect(ran).toEqual([]);
  expect(result.messages.find(({ role }) => role === 'tool')?.content).toContain('TOOL_DENIED');
});

test('a tool that changes at every question is denied at last', async () => {
  const { toolset, ran, replace } = replaceable();
  let asked = 0;
  const result = await go(toolset, () => {
    asked += 1;
    replace({}, `handler ${asked}`);
    return allow;
  });
  expect(asked).toBe(5);
  expect(ran).toEqual([]);
  expect(result.toolCalls[0]?.result).toMatchObject({ code: 'TOOL_DENIED' });
});

test.each([
  ['the digest', (output: Record<string, unknown>) => ({ ...output, digest: 'f'.repeat(64) })],
  ['the arguments', () => ({ decision: 'edit', arguments: '{"path":"b"}', digest: 'f'.repeat(64) })],
])('a decision whose record has other values for %s is not taken for an approval', async (_name, tamper) => {
  verifies('agent.loop.approval', 'agent.loop.approval.changed');
  const { toolset, ran } = replaceable();
  let asked = 0;
  const steps: StepExecutor = {
    async all(batch) {
      const outputs = await inProcessSteps.all(batch);
      if (batch[0]?.id.startsWith('approve:') !== true) return outputs;
      return outputs.map((output) => tamper(output as Record<string, unknown>) as never);
    },
  };
  const decide: Approve = () => ((asked += 1) === 1 ? allow : { decision: 'deny', reason: 'again' });
  await go(toolset, decide, [remove({ path: 'a' })], steps);
  expect(asked).toBe(2);
  expect(ran).toEqual([]);
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

test('a toolset that cannot validate is asked about with the arguments as they are', async () => {
  const { toolset, ran } = replaceable();
  const { validate: _validate, ...rest } = toolset;
  const seen: string[] = [];
  await go(rest, ({ call }) => {
    seen.push(call.arguments);
    return allow;
  });
  expect(seen).toEqual(['{"path":"a","extra":1}']);
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
