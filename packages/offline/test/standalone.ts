// A program that uses this package alone. Packed, installed, type-checked and run by scripts/rehearse.ts, without a network.
import { offlineProvider } from '@kernel/offline';

const weather = {
  name: 'weather',
  description: 'Tells the weather in a city.',
  effect: 'read' as const,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const messages = [{ role: 'user', content: 'What is the weather in Lisbon?' }] as const;

let called = '';
for await (const event of offlineProvider().stream({ model: 'offline', messages, tools: [weather] })) {
  if (event.type !== 'message-end') continue;
  for (const part of event.message.content) if (part.type === 'tool-call') called = `${part.name} ${part.arguments}`;
}
console.log(called); // weather {"city":"Lisbon"}
