// What a user of this package alone writes. Packed, installed, type-checked and run by scripts/pack-check.ts.
import { createServer } from 'node:http';
import { createProvider } from '@kernel/providers';

// In the place of a vendor: a server that answers one chat completion.
const server = createServer((_request, response) => {
  response.setHeader('content-type', 'text/event-stream');
  response.write('data: {"choices":[{"delta":{"content":"Hello"}}]}\n\n');
  response.end('data: {"choices":[{"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n');
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as { port: number };

const provider = createProvider({
  name: 'openai',
  baseUrl: `http://127.0.0.1:${port}/v1`,
  token: 'a key, or a function',
});
const request = { model: 'some-model', messages: [{ role: 'user', content: 'Hi' }] } as const;
let text = '';
for await (const event of provider.stream(request)) {
  if (event.type === 'text-delta') text += event.text;
  if (event.type === 'message-end') console.log(event.finishReason, event.usage);
}
server.close();
if (text !== 'Hello') throw new Error(text);
console.log('alone: ok');
