import { textOf, type Tool, type Toolset } from '@kernel/protocol';
import { type ScriptStep, scriptedProvider } from '@kernel/testing';
import { describe, expect, test } from 'vitest';
import { agentAsTool, type AgentBinding, type AgentAsToolOptions, collect, run } from '../../src/index.ts';
import { user } from '../support.ts';

const model = 'm';
const usage = { inputTokens: 10, outputTokens: 1 };

/** A toolset of one tool with a handler, as a registry would run it. */
function toolsetOf({ tool, handler }: AgentBinding): Toolset {
  const list: readonly Tool[] = Object.freeze([tool]);
  return {
    list: () => list,
    call: (call, context) =>
      handler(JSON.parse(call.arguments) as { task: string }, { ...context, callId: call.id, toolName: call.name }),
  };
}

const subAgent = (script: readonly ScriptStep[], rest: Partial<AgentAsToolOptions> & { tools?: Toolset } = {}) => {
  const { tools, ...options } = rest;
  const provider = scriptedProvider(script);
  return {
    provider,
    tool: agentAsTool({ name: 'helper', description: 'Helps.', run: { provider, model, tools }, ...options }),
  };
};

describe('agentAsTool', () => {
  test('in the background it returns at once, and its outcome and usage follow', async () => {
    const { tool } = subAgent([{ text: 'Did it.', usage, delayMs: 5 }], { background: true });
    const provider = scriptedProvider([
      { calls: [{ name: 'helper', arguments: { task: 'Do it.' } }] },
      { text: 'It has begun.', delayMs: 30 },
      { text: 'It is done.' },
    ]);
    const result = await collect(run({ provider, model, messages: [user('Go')], tools: toolsetOf(tool) }));
    expect(result).toMatchObject({ reason: 'done', answer: 'It is done.', usage });
    expect(result.messages.map(textOf).at(-2)).toContain('is done:\nDid it.');
  });
});
