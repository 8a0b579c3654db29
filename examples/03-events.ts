// Every event of a run, with a scripted provider instead of a model: deltas, calls, results, and one run-end.
import assert from 'node:assert/strict';
import { run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const clock = defineTool({
  name: 'clock',
  description: 'Tells the time in a time zone.',
  effect: 'read',
  input: z.object({ zone: z.string().default('UTC') }),
  handler: ({ zone }, { onProgress }) => {
    onProgress?.('reading the clock');
    return `12:00 in ${zone}`;
  },
});
const provider = scriptedProvider([
  { text: 'Let me look.', calls: [{ name: 'clock' }] },
  { chunks: ['It is ', 'noon.'] },
]);

const seen: string[] = [];
const messages = [{ role: 'user', content: 'What time is it?' }] as const;
for await (const event of run({ provider, model: 'scripted', messages, tools: createRegistry([clock]) })) {
  seen.push(event.type);
  if (event.type === 'tool-end') console.log(`${event.call.name}: ${event.result.forLLM}`);
  if (event.type === 'run-end') assert.equal(event.reason === 'done' && event.answer, 'It is noon.');
}
assert.deepEqual(
  seen.filter((type) => type !== 'text-delta' && type !== 'tool-call-delta'),
  [
    'turn-start',
    'message-end',
    'tool-start',
    'tool-progress',
    'tool-end',
    'turn-end',
    'turn-start',
    'message-end',
    'turn-end',
    'run-end',
  ],
);
