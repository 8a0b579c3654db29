// TanStack AI.
import { chat, EventType, maxIterations, toolDefinition } from '@tanstack/ai';
import { openaiCompatibleText } from '@tanstack/ai-openai/compatible';

const adapterAt = (baseURL, model = 'm') =>
  openaiCompatibleText(model, { name: 'bench', baseURL, apiKey: 'none', api: 'chat-completions', maxRetries: 0 });
const MESSAGES = [{ role: 'user', content: 'Go.' }];

export function loop(url, { turns, streamed, tools, handler }) {
  const bound = tools.map(({ name, description, parameters }) =>
    toolDefinition({ name, description, inputSchema: parameters }).server(async (input) => handler(input)),
  );
  const agentLoopStrategy = maxIterations(turns + 2);
  return async ({ signal } = {}) => {
    const abortController = new AbortController();
    signal?.addEventListener('abort', () => abortController.abort());
    const request = { adapter: adapterAt(url), messages: MESSAGES, tools: bound, agentLoopStrategy, abortController };
    if (!streamed) return chat({ ...request, stream: false });
    let all = '';
    for await (const chunk of chat(request)) if (chunk.type === EventType.TEXT_MESSAGE_CONTENT) all += chunk.delta;
    return all;
  };
}

export function text(url) {
  return async ({ model, signal, onText } = {}) => {
    let all = '';
    const abortController = new AbortController();
    signal?.addEventListener('abort', () => abortController.abort());
    for await (const chunk of chat({ adapter: adapterAt(url, model), messages: MESSAGES, abortController })) {
      if (chunk.type !== EventType.TEXT_MESSAGE_CONTENT) continue;
      all += chunk.delta;
      onText?.(chunk.delta);
    }
    return all;
  };
}
