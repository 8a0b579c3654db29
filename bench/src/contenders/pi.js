// pi.
import { Agent } from '@earendil-works/pi-agent-core';
import { streamSimple } from '@earendil-works/pi-ai/api/openai-completions';

const modelAt = (baseUrl, id = 'm') => ({
  id,
  name: 'm',
  api: 'openai-completions',
  provider: 'bench',
  baseUrl,
  reasoning: false,
  input: ['text'],
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  contextWindow: 1_000_000,
  maxTokens: 1000,
});
const streamFn = (model, context, options) => streamSimple(model, context, { ...options, apiKey: 'none' });

/** It always streams. */
export function loop(url, { streamed, tools, handler }) {
  if (!streamed) return undefined;
  const bound = tools.map((tool) => ({
    ...tool,
    label: tool.name,
    execute: async (_id, input) => ({ content: [{ type: 'text', text: asText(await handler(input)) }], details: {} }),
  }));
  return async () => {
    const agent = new Agent({ initialState: { systemPrompt: '', model: modelAt(url), tools: bound }, streamFn });
    await agent.prompt('Go.');
    return textOf(agent.state.messages.at(-1));
  };
}

export function text(url) {
  return async ({ model, signal, onText } = {}) => {
    let all = '';
    const messages = [{ role: 'user', content: 'Go.', timestamp: 0 }];
    for await (const event of streamFn(modelAt(url, model), { messages }, { signal })) {
      if (event.type !== 'text_delta') continue;
      all += event.delta;
      onText?.(event.delta);
    }
    return all;
  };
}

const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
const textOf = ({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
