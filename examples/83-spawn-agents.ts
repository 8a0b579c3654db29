import assert from 'node:assert/strict';
import { collect, run, spawnTools } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const population = defineTool({
  name: 'population',
  description: 'Tells how many people live in a city.',
  effect: 'read',
  input: z.object({ city: z.string() }),
  handler: ({ city }) => ({ Lisbon: '545,000', Porto: '231,000' })[city] ?? 'unknown',
});
const worker = scriptedProvider([
  { calls: [{ name: 'population', arguments: { city: 'Lisbon' } }] },
  { text: 'Lisbon has 545,000 inhabitants.' },
]);
const agents = spawnTools({
  run: { provider: worker, model: 'a-small-model', tools: createRegistry([population]), limits: { turns: 5 } },
  maxRunning: 4,
  effect: 'read', // starting an agent needs no approval; its own calls are approved like the caller's
});

const provider = scriptedProvider([
  { calls: [{ name: 'spawn', arguments: { task: 'How many live in Lisbon?', tools: ['population'], turns: 3 } }] },
  { calls: [{ name: 'spawn_status', arguments: {} }] },
  { text: 'About 545,000.' },
]);
const messages = [{ role: 'user', content: 'How big is Lisbon?' }] as const;
const result = await collect(run({ provider, model: 'a-large-model', messages, tools: createRegistry(agents) }));

assert.equal(result.reason === 'done' && result.answer, 'About 545,000.');
const [spawned, status] = result.toolCalls.map((call) => call.result.forLLM);
assert.equal(spawned, 'Lisbon has 545,000 inhabitants.');
assert.match(status ?? '', /^agent-1: done for \d+ s, 1 call, last: calls population; task: /);
console.log(status);
