// A sub-agent, which runs as a tool of another: its own model, tools and limits. Its usage is added to the run's, and an abort reaches it.
import assert from 'node:assert/strict';
import { agentAsTool, collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry } from '@kernel/tools';

const usage = { inputTokens: 10, outputTokens: 2 };
const researcher = agentAsTool({
  name: 'researcher',
  description: 'Finds out facts.',
  effect: 'read',
  run: {
    provider: scriptedProvider([{ text: 'Lisbon has about 545,000 inhabitants.', usage }]),
    model: 'a-small-model',
    system: 'You find facts.',
    limits: { turns: 5 },
  },
});
// A sub-agent has its own limits, so the call itself needs no timeout.
const tools = createRegistry([researcher]);

const provider = scriptedProvider([
  { calls: [{ name: 'researcher', arguments: { task: 'How many people live in Lisbon?' } }], usage },
  { text: 'About 545,000.', usage },
]);
const messages = [{ role: 'user', content: 'How big is Lisbon?' }] as const;
const result = await collect(run({ provider, model: 'a-large-model', messages, tools }));

assert.equal(result.reason === 'done' && result.answer, 'About 545,000.');
assert.deepEqual(result.usage, { inputTokens: 30, outputTokens: 6 });
console.log(result.toolCalls[0]?.result.forLLM);
