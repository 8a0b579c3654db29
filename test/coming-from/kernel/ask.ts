import { collect, run } from '@kernel/agent';
import type { Provider } from '@kernel/protocol';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  effect: 'read',
  input: z.object({ city: z.string() }),
  handler: ({ city }) => ({ city, celsius: 21 }),
});
const tools = createRegistry([weather]);

/** `provider` is `createProvider({ name: 'openai', token })` of `@kernel/providers`. */
export async function ask(provider: Provider, prompt: string): Promise<string> {
  const result = await collect(
    run({
      provider,
      model: 'gpt-5.1',
      system: 'You answer in one sentence.',
      messages: [{ role: 'user', content: prompt }],
      tools,
      limits: { turns: 5 },
    }),
  );
  if (result.reason !== 'done') throw new Error(`The run ended with ${result.reason}.`);
  return result.answer;
}
