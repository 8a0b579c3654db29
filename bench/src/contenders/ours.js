// Our packages as they are built.
import { bindTool, callTool, collect, createProvider, createRegistry, run } from '../ours.js';

const MESSAGES = [{ role: 'user', content: 'Go.' }];

export function loop(url, { turns, streamed, parallel = 1, tools, handler, connections, transport = {} }) {
  const provider = createProvider({ name: 'openai', baseUrl: url, ...(connections && { connections }), ...transport });
  const registry = createRegistry(tools.map((tool) => bindTool({ ...tool, effect: 'read' }, handler)));
  const limits = { turns: turns + 2, callsPerTool: turns * parallel + 1 };
  return async ({ signal } = {}) => {
    const request = { provider, model: 'm', messages: MESSAGES, tools: registry, stream: streamed, limits, signal };
    const result = await collect(run(request));
    if (result.reason !== 'done' && result.reason !== 'aborted')
      throw new Error(JSON.stringify(result.error ?? result.reason));
    return result.answer;
  };
}

export function text(url, { connections } = {}) {
  const provider = createProvider({ name: 'openai', baseUrl: url, ...(connections && { connections }) });
  return async ({ model = 'm', signal, onText } = {}) => {
    let all = '';
    for await (const event of provider.stream({ model, messages: MESSAGES, signal })) {
      if (event.type !== 'text-delta') continue;
      all += event.text;
      onText?.(event.text);
    }
    return all;
  };
}

export function callArguments(url) {
  const provider = createProvider({ name: 'openai', baseUrl: url });
  return async () => {
    let end;
    for await (const event of provider.stream({ model: 'm', messages: MESSAGES })) end = event;
    return end.message.content[0].arguments;
  };
}

export function execute(tools, handler) {
  const registry = createRegistry(tools.map((tool) => bindTool({ ...tool, effect: 'read' }, handler)));
  const { signal } = new AbortController();
  return async (name, args) =>
    (await callTool(registry, { type: 'tool-call', id: 'c', name, arguments: args }, { signal })).forLLM;
}
