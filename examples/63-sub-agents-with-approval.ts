// A sub-agent: its events and texts come through with its path, and its calls are approved by the caller.
import assert from 'node:assert/strict';
import { agentAsTool, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const publish = defineTool({
  name: 'publish',
  description: 'Publishes a text.',
  effect: 'external',
  input: z.object({ text: z.string() }),
  handler: ({ text }) => `Published: ${text}`,
});
const writer = agentAsTool({
  name: 'writer',
  description: 'Writes and publishes a text.',
  effect: 'read', // its own calls need approval, not the call of the agent as a whole
  run: {
    provider: scriptedProvider([
      { calls: [{ name: 'publish', id: 'p1', arguments: { text: 'Hello' } }] },
      { text: 'It is out.' },
    ]),
    model: 'a-small-model',
    tools: createRegistry([publish]),
  },
});

const asked: string[] = [];
const texts: string[] = [];
const provider = scriptedProvider([
  { calls: [{ name: 'writer', id: 'w1', arguments: { task: 'Publish a greeting.' } }] },
  { text: 'Done.' },
]);
const events = run({
  provider,
  model: 'a-large-model',
  messages: [{ role: 'user', content: 'Greet the world.' }],
  tools: createRegistry([writer]),
  approve: ({ call, path }) => {
    asked.push(`${path.join('/')} ${call.name}`);
    return { decision: 'allow' };
  },
});
for await (const event of events) {
  if (event.type === 'text-delta') texts.push(event.text);
  if (event.type === 'sub-agent-event' && event.event.type === 'text-delta')
    texts.push(`${event.path.join('/')}: ${event.event.text}`);
}

assert.deepEqual(asked, ['w1 publish']);
assert.deepEqual(texts, ['writer/w1: It is out.', 'Done.']);
console.log(texts.join('\n'));
