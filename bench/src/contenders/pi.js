// pi.
import { Agent } from '@earendil-works/pi-agent-core';
import { validateToolArguments } from '@earendil-works/pi-ai';
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
  return async ({ signal } = {}) => {
    const agent = new Agent({ initialState: { systemPrompt: '', model: modelAt(url), tools: bound }, streamFn });
    signal?.addEventListener('abort', () => agent.abort());
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

export function execute(tools, handler) {
  const bound = new Map(tools.map((tool) => [tool.name, { tool, execute: async (_id, input) => handler(input) }]));
  return async (name, args) => {
    const { tool, execute: run } = bound.get(name);
    return run('c', validateToolArguments(tool, { type: 'toolCall', id: 'c', name, arguments: JSON.parse(args) }));
  };
}

const asText = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
const textOf = ({ content }) => content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('');
