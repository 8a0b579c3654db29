// The client of OpenAI: its runTools for loops, its chat.completions.stream for streams.
import OpenAI from 'openai';

const clientAt = (baseURL) => new OpenAI({ apiKey: 'none', baseURL, maxRetries: 0 });
const MESSAGES = [{ role: 'user', content: 'Go.' }];

export function loop(url, { turns, streamed, tools, handler }) {
  const client = clientAt(url);
  const bound = tools.map((tool) => ({
    type: 'function',
    function: { ...tool, strict: false, parse: JSON.parse, function: handler },
  }));
  return ({ signal } = {}) =>
    client.chat.completions
      .runTools(
        { model: 'm', messages: [...MESSAGES], tools: bound, stream: streamed },
        { maxChatCompletions: turns + 2, signal },
      )
      .finalContent();
}

export function text(url) {
  const client = clientAt(url);
  return async ({ model = 'm', signal, onText } = {}) => {
    const stream = client.chat.completions.stream({ model, messages: MESSAGES }, { signal });
    if (onText) stream.on('content', onText);
    return (await stream.finalMessage()).content;
  };
}

export function callArguments(url) {
  const client = clientAt(url);
  return async () => {
    const stream = client.chat.completions.stream({ model: 'm', messages: MESSAGES });
    return (await stream.finalMessage()).tool_calls[0].function.arguments;
  };
}
