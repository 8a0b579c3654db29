import type { BaseChatModel } from '@langchain/core/language_models/chat_models';
import { type BaseMessage, HumanMessage, SystemMessage } from '@langchain/core/messages';
import { tool } from '@langchain/core/tools';
import * as z from 'zod';

const weather = tool(({ city }) => ({ city, celsius: 21 }), {
  name: 'weather',
  description: 'Tells the weather in a city.',
  schema: z.object({ city: z.string() }),
});

/** `model` is `new ChatOpenAI({ model: 'gpt-5.1' })` of `@langchain/openai`; `createAgent` of `langchain` has a loop like this. */
export async function ask(model: BaseChatModel, prompt: string): Promise<string> {
  const withTools = model.bindTools?.([weather]) ?? model;
  const messages: BaseMessage[] = [new SystemMessage('You answer in one sentence.'), new HumanMessage(prompt)];
  for (let turn = 0; turn < 5; turn += 1) {
    const reply = await withTools.invoke(messages);
    messages.push(reply);
    if (reply.tool_calls === undefined || reply.tool_calls.length === 0) return reply.text;
    for (const call of reply.tool_calls) {
      messages.push(await weather.invoke({ ...call, type: 'tool_call' }));
    }
  }
  throw new Error('The model kept calling tools.');
}
