// An agent, a tool and an answer: what one writes first with any library.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  effect: 'read',
  input: z.object({ city: z.string() }),
  handler: ({ city }) => ({ city, celsius: 21 }),
});
// Stands in for createProvider({ name: 'openai', token: … }) of @kernel/providers.
const provider = scriptedProvider([
  { calls: [{ name: 'weather', arguments: { city: 'Lisbon' } }] },
  { text: 'It is 21 °C in Lisbon.' },
]);
const result = await collect(
  run({
    provider,
    model: 'gpt-5.1',
    system: 'You answer in one sentence.',
    messages: [{ role: 'user', content: 'How warm is it in Lisbon?' }],
    tools: createRegistry([weather]),
    limits: { turns: 5 },
  }),
);

if (result.reason !== 'done') throw new Error(`The run ended with ${result.reason}.`);
console.log(result.answer);
assert.equal(result.answer, 'It is 21 °C in Lisbon.');
