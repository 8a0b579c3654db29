// An agent with limits: its events say what it does, its result says how it ended.
import assert from 'node:assert/strict';
import { collect, run, tapEvents } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const tools = createRegistry([
  defineTool({
    name: 'look_up',
    description: 'Looks up a word.',
    effect: 'read',
    input: z.object({ word: z.string() }),
    handler: ({ word }) => `${word}: a thing`,
  }),
]);
// Instead of a model: it looks up one word and answers.
const provider = scriptedProvider([
  { calls: [{ name: 'look_up', arguments: { word: 'kernel' } }], usage: { inputTokens: 20, outputTokens: 5 } },
  { text: 'A kernel is a thing.', usage: { inputTokens: 40, outputTokens: 6 } },
]);

const events = run({
  provider,
  model: 'any-model',
  system: 'Answer in one sentence.',
  messages: [{ role: 'user', content: 'What is a kernel?' }],
  tools,
  limits: { turns: 10, tokens: 100_000, timeMs: 60_000 },
});
const log = (line: string): void => console.log(line);
const result = await collect(
  tapEvents(events, [
    (event) => {
      if (event.type === 'tool-end') log(`${event.call.name} took ${Math.round(event.durationMs)} ms`);
    },
  ]),
);

switch (result.reason) {
  case 'done':
    log(result.answer); // `answer` is a string only if there is one
    break;
  case 'error':
    throw result.error;
  default:
    throw new Error(`The run ended with ${result.reason}.`);
}
assert.deepEqual(result.usage, { inputTokens: 60, outputTokens: 11 });
assert.deepEqual(
  result.messages.map((message) => message.role),
  ['system', 'user', 'assistant', 'tool', 'assistant'],
);
