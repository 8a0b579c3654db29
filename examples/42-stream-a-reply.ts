// One streamed reply of a model, without an agent: text as it arrives, then the whole message. A loopback server plays the vendor.
import assert from 'node:assert/strict';
import { toolCallsOf } from '@kernel/protocol';
import { createProvider, withRetry } from '@kernel/providers';
import { startWireServer } from '@kernel/testing';

const call = { id: 'call_1', name: 'get_weather', arguments: { city: 'Oslo' } };
const server = await startWireServer({ wire: 'anthropic', replies: [{ text: 'Let me look.', calls: [call] }] });

const provider = withRetry(
  createProvider({
    name: 'anthropic',
    baseUrl: server.baseUrl,
    token: 'a key, or a function',
    options: { maxTokens: 500 },
  }),
);
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
const tools = [{ name: 'get_weather', description: 'Tells the weather of a city.', parameters }];
const messages = [{ role: 'user', content: 'How is the weather in Oslo?' }] as const;

for await (const event of provider.stream({ model: 'a-model', messages, tools })) {
  if (event.type === 'text-delta') console.log(event.text);
  if (event.type === 'message-end')
    assert.deepEqual(
      toolCallsOf(event.message).map(({ arguments: text }) => text),
      ['{"city":"Oslo"}'],
    );
}
await server.close();
