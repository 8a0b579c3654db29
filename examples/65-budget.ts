// A run with a budget: the cost of each turn is counted, and once it is spent the model is asked for a final answer.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { costOf } from '@kernel/providers';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

const search = defineTool({
  name: 'search',
  description: 'Searches.',
  effect: 'read',
  input: z.object({ page: z.int() }),
  handler: ({ page }) => `Results of page ${page}.`,
});
const usage = { inputTokens: 100_000, outputTokens: 1_000 };
let page = 0;
const provider = scriptedProvider(
  [
    ({ tools }) => {
      page += 1;
      return tools === undefined
        ? { text: 'I have read a few pages, and found nothing.', usage }
        : { calls: [{ name: 'search', arguments: { page } }], usage };
    },
  ],
  { repeat: true },
);

/** Dollars for a million tokens. */
const price = { input: 3, output: 15 };
const messages = [{ role: 'user', content: 'Find the needle.' }] as const;
const result = await collect(
  run({
    provider,
    model: 'any-model',
    messages,
    tools: createRegistry([search]),
    limits: { cost: { max: 1, of: (used) => costOf(used, price) }, turns: 100, onLimit: 'answer' },
  }),
);

if (result.reason !== 'limit') throw new Error(result.reason);
assert.equal(result.limit, 'cost');
assert.equal(result.answer, 'I have read a few pages, and found nothing.');
const spent = costOf(result.usage, price);
assert.ok(spent < 1.7, `${spent}`);
console.log(`${result.turns} turns, ${spent.toFixed(2)} dollars: ${result.answer}`);
