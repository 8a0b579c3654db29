import { Agent, type Model, type ModelRequest, Runner, tool, Usage } from '@openai/agents-core';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { fromOpenAiAgentsTool, toOpenAiAgentsTools } from '../../src/adapters/index.ts';
import { createRegistry, defineTool } from '../../src/index.ts';

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
