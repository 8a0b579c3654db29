import { generateText, isStepCount, type LanguageModel, tool } from 'ai';
import * as z from 'zod';

const weather = tool({
  description: 'Tells the weather in a city.',
  inputSchema: z.object({ city: z.string() }),
  execute: ({ city }) => ({ city, celsius: 21 }),
});

/** `model` is `openai('gpt-5.1')` of `@ai-sdk/openai`. */
export async function ask(model: LanguageModel, prompt: string): Promise<string> {
  const { text } = await generateText({
    model,
    instructions: 'You answer in one sentence.',
    prompt,
    tools: { weather },
    stopWhen: isStepCount(5),
  });
  return text;
}
