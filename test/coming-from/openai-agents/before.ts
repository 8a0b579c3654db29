// `@openai/agents` exports all of this too.
import { Agent, type Model, Runner, tool } from '@openai/agents-core';
import * as z from 'zod';

const weather = tool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  parameters: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 21 }),
});

/** `model` is the name of a model. */
export async function ask(model: string | Model, prompt: string): Promise<string> {
  const agent = new Agent({ name: 'Weather', instructions: 'You answer in one sentence.', model, tools: [weather] });
  const { finalOutput } = await new Runner({ tracingDisabled: true }).run(agent, prompt, { maxTurns: 5 });
  return finalOutput ?? '';
}
