import type { StructuredOutput } from '@kernel/protocol';
import { mockTool, mockToolset, type ScriptStep, scriptedProvider, verifies } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { agentAsTool, collect, run, type RunOptions } from '../../src/index.ts';
import { user } from '../support.ts';

const Names = z.object({ names: z.array(z.string()), tags: z.array(z.string()).default([]) });
const valid = '{"names":["a"]}';
const found = { names: ['a'], tags: [] };
const look = (text?: string): ScriptStep => ({ calls: [{ name: 'look' }], ...(text !== undefined && { text }) });

function start(
  script: readonly ScriptStep[],
  limits: RunOptions['limits'],
  structuredOutput: StructuredOutput = 'schema',
) {
  let count = 0;
  const provider = scriptedProvider([...script], { structuredOutput });
  const tools = mockToolset([mockTool('look', () => `result ${(count += 1)}`)]);
  return {
    provider,
    tools,
    events: () => run({ provider, model: 'm', messages: [user('Go')], tools, limits, output: Names }),
  };
}

describe('a typed answer of the closing turn', () => {
  test('is the result of the agent that a call runs', async () => {
    verifies('output.limit');
    const { provider, tools } = start([look(), { text: valid }], {});
    const limits = { turns: 1, onLimit: 'answer' } as const;
    const agent = agentAsTool({
      name: 'a',
      description: 'A.',
      run: { provider, model: 'm', tools, limits, output: Names },
    });
    const context = { callId: '1', toolName: 'a', signal: new AbortController().signal };
    expect(await agent.handler({ task: 'Go' }, context as never)).toEqual({ forLLM: valid, data: { names: ['a'] } });
    const plain = scriptedProvider([look(), { text: 'Two.' }]);
    const other = agentAsTool({ name: 'a', description: 'A.', run: { provider: plain, model: 'm', tools, limits } });
    const result = await other.handler({ task: 'Go' }, context);
    expect([result.isError, result.forLLM]).toEqual([
      undefined,
      '"a" was stopped (limit), and answered from what it knew by then: Two.',
    ]);
    const hanging = mockToolset([mockTool('look', { hangs: true })]);
    const late = { provider: scriptedProvider([look('I look.')]), model: 'm', tools: hanging };
    const timed = agentAsTool({
      name: 'a',
      description: 'A.',
      run: { ...late, limits: { timeMs: 20, onLimit: 'answer' } },
    });
    expect((await timed.handler({ task: 'Go' }, context as never)).forLLM).toContain(
      '"a" ended without an answer (limit: time). Its calls until then: look (abandoned). So far: I look.',
    );
  });
});

describe('a run that ends early with the whole text of a typed answer has it', () => {
  test('at the time limit, unless a check of it takes its time', async () => {
    verifies('output.early');
    const end = (output: z.ZodType) => {
      const provider = scriptedProvider([look(valid)], { structuredOutput: 'schema' });
      const tools = mockToolset([mockTool('look', { hangs: true })]);
      return collect(run({ provider, model: 'm', messages: [user('Go')], tools, output, limits: { timeMs: 20 } }));
    };
    expect(await end(Names)).toMatchObject({ reason: 'limit', limit: 'time', answer: valid, output: found });
    const slow = await end(Names.refine(() => new Promise<boolean>(() => undefined)));
    expect(slow).toMatchObject({ reason: 'limit', limit: 'time', answer: valid });
    expect(slow).not.toHaveProperty('output');
  });
});
