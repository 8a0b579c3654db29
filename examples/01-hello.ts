// One tool, described once, from the registry to an answer. Offline: no key, no server, no model.
import { collect, run } from '@kernel/agent';
import { offlineProvider } from '@kernel/offline';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  effect: 'read',
  input: z.object({ city: z.string().describe('The name of a city') }),
  handler: ({ city }) => `Sunny in ${city}.`,
});
const tools = createRegistry([weather]);
const provider = offlineProvider(); // or createProvider({ name: 'openai', token: … }) of @kernel/providers
const messages = [{ role: 'user', content: 'What is the weather in Lisbon?' }] as const;
const result = await collect(run({ provider, model: 'offline', messages, tools }));

if (result.reason !== 'done') throw new Error(`The run ended with ${result.reason}.`);
console.log(result.answer); // Sunny in Lisbon.
if (result.answer !== 'Sunny in Lisbon.') process.exitCode = 1;
