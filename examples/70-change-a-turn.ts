// A different request in each turn: the first must call a tool; then a larger model answers, without tools.
import assert from 'node:assert/strict';
import { collect, type PrepareTurn, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const search = defineTool({
  name: 'search',
  description: 'Searches the archive.',
  effect: 'read',
  input: z.object({ words: z.string() }),
  handler: ({ words }) => `One article about ${words}.`,
});
const prepareTurn: PrepareTurn = ({ turn, messages }) => {
  if (turn === 1) return { toolChoice: 'required' };
  if (messages.at(-1)?.role === 'tool') return { model: 'a-large-model', tools: [], options: { temperature: 0.7 } };
  return undefined;
};

const provider = scriptedProvider([
  { calls: [{ name: 'search', arguments: { words: 'lighthouses' } }] },
  { text: 'There is one article about lighthouses.' },
]);
const messages = [{ role: 'user', content: 'What do we have about lighthouses?' }] as const;
const tools = createRegistry([search]);
const result = await collect(run({ provider, model: 'a-small-model', messages, tools, prepareTurn }));

const [first, second] = provider.streamRequests;
assert.deepEqual([first?.model, first?.toolChoice, first?.tools?.length], ['a-small-model', 'required', 1]);
assert.deepEqual([second?.model, second?.toolChoice, second?.tools], ['a-large-model', undefined, undefined]);
assert.equal(result.reason, 'done');
console.log(result.reason === 'done' && result.answer);
