// Long replies of one stream.
import OpenAI from 'openai';
import { createFloor } from '../floor.js';
import { digest } from '../measure.js';
import { createProvider } from '../ours.js';

const MESSAGES = [{ role: 'user', content: 'Go.' }];
const BODY = JSON.stringify({ model: 'm', messages: MESSAGES, stream: true });

export const openaiOf = (port, path) =>
  new OpenAI({ apiKey: 'none', baseURL: `http://127.0.0.1:${port}${path}`, maxRetries: 0 });

export function textWork(count) {
  const path = `/text/${count}`;
  return {
    floor(port) {
      const floor = createFloor(port);
      return async () => {
        let text = '';
        await floor.stream(`${path}/chat/completions`, BODY, (chunk) => {
          const piece = chunk.choices[0]?.delta?.content;
          if (piece) text += piece;
        }).done;
        return digest(text);
      };
    },
    ours(port) {
      const provider = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${port}${path}` });
      return async () => {
        let text = '';
        for await (const event of provider.stream({ model: 'm', messages: MESSAGES }))
          if (event.type === 'text-delta') text += event.text;
        return digest(text);
      };
    },
    openai(port) {
      const client = openaiOf(port, path);
      return async () => {
        const stream = client.chat.completions.stream({ model: 'm', messages: MESSAGES });
        return digest((await stream.finalMessage()).content);
      };
    },
  };
}

export function argumentsWork(bytes, size) {
  const path = `/args/${bytes}/${size}`;
  return {
    floor(port) {
      const floor = createFloor(port);
      return async () =>
        digest((await floor.message(`${path}/chat/completions`, BODY)).tool_calls[0].function.arguments);
    },
    ours(port) {
      const provider = createProvider({ name: 'openai', baseUrl: `http://127.0.0.1:${port}${path}` });
      return async () => {
        let end;
        for await (const event of provider.stream({ model: 'm', messages: MESSAGES })) end = event;
        return digest(end.message.content[0].arguments);
      };
    },
    openai(port) {
      const client = openaiOf(port, path);
      return async () => {
        const stream = client.chat.completions.stream({ model: 'm', messages: MESSAGES });
        return digest((await stream.finalMessage()).tool_calls[0].function.arguments);
      };
    },
  };
}
