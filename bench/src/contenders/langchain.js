// LangChain. With `streaming: true` it loads a table of tokens from the network, so that a loop streams by its mode of messages.
import { tool } from '@langchain/core/tools';
import { ChatOpenAI } from '@langchain/openai';
import { createAgent } from 'langchain';

const modelAt = (baseURL, model = 'm') =>
  new ChatOpenAI({ model, apiKey: 'none', maxRetries: 0, configuration: { baseURL } });

export function loop(url, { turns, streamed, tools, handler }) {
  const agent = createAgent({
    model: modelAt(url),
    tools: tools.map(({ name, description, parameters }) =>
      tool(async (input) => handler(input), { name, description, schema: parameters }),
    ),
  });
  return async ({ signal } = {}) => {
    const messages = [{ role: 'user', content: 'Go.' }];
    const options = { recursionLimit: 3 * turns + 10, signal };
    if (!streamed) return (await agent.invoke({ messages }, options)).messages.at(-1).text;
    let all = '';
    for await (const [message] of await agent.stream({ messages }, { ...options, streamMode: 'messages' }))
      if (message.type === 'ai') all += message.text;
    return all;
  };
}

export function text(url) {
  return async ({ model, signal, onText } = {}) => {
    let all = '';
    for await (const chunk of await modelAt(url, model).stream('Go.', { signal })) {
      all += chunk.text;
      if (chunk.text !== '') onText?.(chunk.text);
    }
    return all;
  };
}

export function execute(tools, handler) {
  const bound = new Map(
    tools.map(({ name, description, parameters }) => [
      name,
      tool(async (input) => handler(input), { name, description, schema: parameters }),
    ]),
  );
  return (name, args) => bound.get(name).invoke(JSON.parse(args));
}
