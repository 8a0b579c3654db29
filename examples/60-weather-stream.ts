// A chat window in a terminal: the text as it arrives, a line for each tool call, and the result at the end.
import assert from 'node:assert/strict';
import { start } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const weather = defineTool({
  name: 'weather',
  description: 'Tells the weather in a city.',
  effect: 'read',
  input: z.object({ city: z.string() }),
  handler: ({ city }) => ({ city, sky: 'sunny', degrees: 21 }),
});
const provider = scriptedProvider([
  { text: 'Let me look.', calls: [{ name: 'weather', arguments: { city: 'Lisbon' } }] },
  { text: 'It is sunny in Lisbon, 21 degrees.', pieces: 7 },
]);
const messages = [{ role: 'user', content: 'How is the weather in Lisbon?' }] as const;

const running = start({ provider, model: 'any-model', messages, tools: createRegistry([weather]) });
let shown = '';
for await (const event of running.events) {
  if (event.type === 'text-delta') shown += event.text;
  else if (event.type === 'tool-start') shown += `\n[${event.call.name} ${event.call.arguments}`;
  else if (event.type === 'tool-end') shown += ` → ${event.result.isError === true ? 'failed' : 'done'}]\n`;
}
console.log(shown);

const result = await running.result;
assert.equal(result.reason === 'done' && result.answer, 'It is sunny in Lisbon, 21 degrees.');
assert.match(shown, /\[weather \{"city":"Lisbon"\} → done\]/);
