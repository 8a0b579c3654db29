import { type Tool, type ToolCall, type ToolEffect, type Toolset, toolResult } from '@kernel/protocol';
import { scriptedProvider, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { collect, run, withHooks } from '../src/index.ts';
import { expectSound, user } from './support.ts';

const RAN = 'ran to its end, but its result cannot be read: ';

function toolset(returned: () => unknown, effect?: ToolEffect): Toolset & { readonly calls: ToolCall[] } {
  const pay: Tool = { name: 'pay', description: 'Pays.', parameters: { type: 'object' }, ...(effect && { effect }) };
  const calls: ToolCall[] = [];
  return {
    calls,
    list: () => [pay],
    prepare: (call) => ({
      tool: pay,
      arguments: call.arguments,
      run() {
        calls.push(call);
        return Promise.resolve(returned() as never);
      },
    }),
  };
}

async function messagesOf(tools: Toolset, options: Partial<Parameters<typeof run>[0]> = {}) {
  const provider = scriptedProvider([{ calls: [{ name: 'pay' }] }, { text: 'ok' }]);
  const end = await collect(run({ provider, model: 'm', messages: [user('Go')], tools, ...options }));
  expect(end.reason).toBe('done');
  expectSound(end.messages);
  return end.messages;
}

const throwing = Object.defineProperty({ forLLM: 'x' }, 'data', {
  enumerable: true,
  get() {
    throw new Error('no way');
  },
});

test.each([
  ['nothing', () => undefined, 'it returned nothing instead of a result.'],
  ['something else', () => new Map(), 'it returned an object instead of a result.'],
  ['a result with a getter that throws', () => throwing, 'no way.'],
])(
  'a tool that may have changed something and whose toolset returns %s is told as one that ran',
  async (_, value, why) => {
    verifies('agent.loop.unreadable');
    for (const effect of [undefined, 'write', 'external'] as const) {
      // oxlint-disable-next-line no-await-in-loop -- one run after another
      const [, , result] = await messagesOf(toolset(value, effect));
      expect(result).not.toHaveProperty('isError');
      expect(result?.content).toContain(`"pay" ${RAN}${why}`);
    }
    const [, , read] = await messagesOf(toolset(value, 'read'));
    expect(read).toMatchObject({ isError: true, content: expect.stringContaining('TOOL_FAILED') });
  },
);

test('data that a journal cannot keep is told as that of a call that ran, and the run goes on', async () => {
  verifies('agent.loop.unreadable');
  const kept: string[] = [];
  const tools = toolset(() => ({ ...toolResult('paid'), data: { cents: 5n } }), 'external');
  const [, , result] = await messagesOf(tools, {
    steps: {
      all: (steps) =>
        Promise.all(
          steps.map(async (step) => {
            const output = await step.run();
            kept.push(JSON.stringify(output));
            return output;
          }),
        ),
    },
  });
  expect(result?.content).toContain(`"pay" ${RAN}its data is not JSON`);
  expect(kept.join()).toContain(RAN);
  expect(tools.calls).toHaveLength(1);
});

test('a hook that fails after a call takes the result away, not that the call has run', async () => {
  verifies('agent.loop.unreadable');
  const hooks = {
    afterTool: () => {
      throw new Error('no redaction');
    },
  };
  const [, , result] = await messagesOf(
    withHooks(
      toolset(() => toolResult('secret'), 'write'),
      hooks,
    ),
  );
  expect(result).not.toHaveProperty('isError');
  expect(result?.content).toContain(`"pay" ${RAN}a hook after it failed: no redaction.`);
  expect(result?.content).not.toContain('secret');
  const [, , read] = await messagesOf(
    withHooks(
      toolset(() => toolResult('secret'), 'read'),
      hooks,
    ),
  );
  expect(read).toMatchObject({ isError: true });
});
