import { callTool } from '@kernel/protocol';
import { Agent, type Model, type ModelRequest, Runner, tool, Usage } from '@openai/agents-core';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { fromOpenAiAgentsTool, toOpenAiAgentsTools } from '../../src/adapters/index.ts';
import { createRegistry, defineTool } from '../../src/index.ts';
import { caught, context as callContext, preparedCall, toolCall } from '../support.ts';

/** A model that makes one call, then answers. */
function callingModel(name: string, args: string): Model & { readonly requests: ModelRequest[] } {
  const requests: ModelRequest[] = [];
  return {
    requests,
    async getResponse(request) {
      requests.push(request);
      return {
        usage: new Usage(),
        output:
          requests.length === 1
            ? [{ type: 'function_call', callId: 'c1', name, arguments: args, status: 'completed' }]
            : [
                {
                  type: 'message',
                  role: 'assistant',
                  status: 'completed',
                  content: [{ type: 'output_text', text: 'done' }],
                },
              ],
      };
    },
    getStreamedResponse() {
      throw new Error('not used');
    },
  };
}

test('tools of a registry run in an Agent of OpenAI Agents, with its context, repaired arguments and failures as text', async () => {
  verifies('compat.openaiAgents');
  const registry = createRegistry([
    defineTool<{ readonly user: string }>()({
      name: 'double',
      description: 'Doubles.',
      effect: 'read',
      input: z.object({ n: z.int() }),
      handler: ({ n }, { context, callId }) => `${n * 2} for ${context.user} in ${callId}`,
    }),
  ]);
  for (const [args, shown] of [
    ['{"n":"21"}', '42 for ada in c1'],
    ['{"n":"x"}', 'ARGUMENTS_INVALID'],
  ] as const) {
    const model = callingModel('double', args);
    const agent = new Agent<{ readonly user: string }>({ name: 'a', model, tools: toOpenAiAgentsTools(registry) });
    const runner = new Runner({ tracingDisabled: true });
    // oxlint-disable-next-line no-await-in-loop
    const { finalOutput } = await runner.run(agent, 'Go', { context: { user: 'ada' } });
    expect(finalOutput).toBe('done');
    expect(model.requests[0]?.tools).toMatchObject([
      { name: 'double', parameters: { required: ['n'] }, strict: false },
    ]);
    expect(JSON.stringify(model.requests[1]?.input)).toContain(shown);
  }
});

test('a tool of OpenAI Agents runs in a registry, with the context of the run', async () => {
  verifies('compat.openaiAgents');
  const greet = tool({
    name: 'greet',
    description: 'Greets.',
    parameters: z.object({ name: z.string() }),
    execute: async ({ name }, run) => `Hello ${name} from ${(run?.context as { user: string } | undefined)?.user}`,
  });
  const registry = createRegistry([fromOpenAiAgentsTool(greet, { effect: 'read' })]);
  expect(registry.list()).toMatchObject([{ name: 'greet', description: 'Greets.', effect: 'read', strict: true }]);
  const result = await registry.execute('greet', { name: 'Bo' }, { context: { user: 'ada' } });
  expect(result.forLLM).toBe('Hello Bo from ada');
  expect((await registry.execute('greet', '{"name":{}}')).code).toBe('ARGUMENTS_INVALID');
});

const parameters = z.object({ path: z.string() });
const remove =
  (ran: string[]) =>
  async ({ path }: { path: string }): Promise<string> => {
    ran.push(path);
    return `removed ${path}`;
  };

test('a call that needs an approval in OpenAI Agents does not run without one, unless an effect is given', async () => {
  verifies('compat.approval');
  const ran: string[] = [];
  const described = { description: '', parameters, execute: remove(ran) };
  const needsApproval = async (_: unknown, { path }: { path: string }, callId?: string) =>
    path === '/' && callId === 'c1';
  const registry = createRegistry([
    fromOpenAiAgentsTool(tool({ ...described, name: 'always', needsApproval: true })),
    fromOpenAiAgentsTool(tool({ ...described, name: 'sometimes', needsApproval })),
    fromOpenAiAgentsTool(tool({ ...described, name: 'given', needsApproval: true }), { effect: 'idempotent' }),
  ]);
  const callOf = (name: string, path: string) => ({ ...toolCall(name, { path }), id: 'c1' });
  const denied = { isError: true, code: 'TOOL_DENIED', outcome: 'denied' };
  expect(await callTool(registry, callOf('always', 'a'), callContext())).toMatchObject(denied);
  expect(await callTool(registry, callOf('sometimes', '/'), callContext())).toMatchObject(denied);
  expect((await callTool(registry, callOf('sometimes', 'b'), callContext())).forLLM).toBe('removed b');
  expect((await callTool(registry, callOf('given', 'c'), callContext())).forLLM).toBe('removed c');
  const prepared = await preparedCall(registry, callOf('always', '/'));
  expect(prepared.needsApproval).toBe(true);
  expect((await prepared.run(callContext())).forLLM).toBe('removed /');
  expect(ran).toEqual(['b', 'c', '/']);
});

test('a tool that is not enabled never runs, and one that asks the run is on offer where it is', async () => {
  verifies('compat.approval');
  const ran: string[] = [];
  const described = { description: '', parameters, execute: remove(ran) };
  const forAdmins = tool({
    ...described,
    name: 'admin',
    isEnabled: ({ runContext }) => (runContext.context as { admin?: boolean } | undefined)?.admin === true,
  });
  const registry = createRegistry([
    fromOpenAiAgentsTool(tool({ ...described, name: 'off', isEnabled: false }), { effect: 'read' }),
    fromOpenAiAgentsTool(forAdmins, { effect: 'read' }),
    fromOpenAiAgentsTool({ ...forAdmins, name: 'both' }, { effect: 'read', when: () => false }),
  ]);
  expect(await registry.execute('off', { path: 'a' })).toMatchObject({
    code: 'TOOL_DENIED',
    forLLM: expect.stringContaining('"off" is not enabled'),
  });
  const offeredTo = async (admin: boolean): Promise<string[]> => {
    const offered = await registry.listFor({ turn: 1, signal: new AbortController().signal, context: { admin } });
    return (offered ?? registry.list()).map(({ name }) => name);
  };
  expect(await offeredTo(false)).toEqual(['off']);
  expect(await offeredTo(true)).toEqual(['off', 'admin']);
  expect(ran).toEqual([]);
});

test('a tool with guardrails is refused, since nothing here would run them', () => {
  verifies('compat.approval');
  const guard = { type: 'tool_input', name: 'g', run: async () => ({ behavior: { type: 'allow' as const } }) } as const;
  const guarded = tool({ name: 'a', description: '', parameters, execute: remove([]), inputGuardrails: [guard] });
  expect(caught(() => fromOpenAiAgentsTool(guarded))).toMatchObject({ code: 'CONFIG_INVALID' });
});
