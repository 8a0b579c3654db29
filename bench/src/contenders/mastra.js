// Mastra, over the model of the AI SDK.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { Agent } from '@mastra/core/agent';
import { createTool } from '@mastra/core/tools';

const modelAt = (baseURL, model = 'm') => createOpenAICompatible({ name: 'bench', baseURL, apiKey: 'none' })(model);

export function loop(url, { turns, streamed, tools, handler }) {
  const set = Object.fromEntries(
    tools.map(({ name, description, parameters }) => [
      name,
      createTool({ id: name, description, inputSchema: parameters, execute: async (input) => handler(input) }),
    ]),
  );
  const agent = new Agent({
    id: 'bench',
    name: 'bench',
    instructions: '',
    model: modelAt(url),
    tools: set,
    maxRetries: 0,
  });
  return async ({ signal: abortSignal } = {}) => {
    const options = { maxSteps: turns + 2, abortSignal };
    return streamed ? (await agent.stream('Go.', options)).text : (await agent.generate('Go.', options)).text;
  };
}

export function text(url) {
  return async ({ model, signal, onText } = {}) => {
    let all = '';
    const agent = new Agent({
      id: 'bench',
      name: 'bench',
      instructions: '',
      model: modelAt(url, model),
      maxRetries: 0,
    });
    for await (const piece of (await agent.stream('Go.', { abortSignal: signal })).textStream) {
      all += piece;
      onText?.(piece);
    }
    return all;
  };
}

export function execute(tools, handler) {
  const bound = new Map(
    tools.map(({ name, description, parameters }) => [
      name,
      createTool({ id: name, description, inputSchema: parameters, execute: async (input) => handler(input) }),
    ]),
  );
  return (name, args) => bound.get(name).execute(JSON.parse(args), {});
}
