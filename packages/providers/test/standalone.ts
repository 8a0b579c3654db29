// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts, without a network.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createProvider, lintTools } from '@kernel/providers';

// Stands in for a model server: one chat completion with a tool call.
const server = createServer((_, response) => {
  const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{"zone":"UTC"}' } };
  const chunks = [
    { choices: [{ index: 0, delta: { content: 'Let me look.', tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.end(`${chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')}data: [DONE]\n\n`);
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const { port } = server.address() as AddressInfo;

const clock = {
  name: 'clock',
  description: 'Tells the time.',
  parameters: { type: 'object', properties: { zone: { type: 'string', pattern: '^[A-Z]' } } },
};
// Lists what another vendor's API would lose of these tools, before the first request.
for (const { message, path, tool } of lintTools([clock], 'gemini')) console.log(`${tool} ${path}: ${message}`);

const provider = createProvider({
  name: 'openai',
  baseUrl: `http://127.0.0.1:${port}/v1`,
  token: 'a key, or a function',
});
const messages = [{ role: 'user', content: 'What time is it?' }] as const;

let called = '';
for await (const event of provider.stream({ model: 'some-model', messages, tools: [clock] })) {
  if (event.type === 'text-delta') console.log(event.text); // Let me look.
  if (event.type !== 'message-end') continue;
  for (const part of event.message.content) if (part.type === 'tool-call') called = `${part.name} ${part.arguments}`;
}
server.close();
console.log(called); // clock {"zone":"UTC"}
