// A tool that returns a picture: as media for models that see, with a text for those that do not.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

/** The smallest PNG: one pixel. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const screenshot = defineTool({
  name: 'screenshot',
  description: 'Takes a picture of a page.',
  effect: 'read',
  input: z.object({ page: z.string() }),
  handler: ({ page }) => ({
    forLLM: `A picture of ${page}, 1 × 1 pixels.`,
    media: [{ type: 'image' as const, mimeType: 'image/png', data: PIXEL, name: `${page}.png` }],
  }),
});
const provider = scriptedProvider([
  { calls: [{ name: 'screenshot', arguments: { page: 'home' } }] },
  { text: 'The page is a single red dot.' },
]);
const messages = [{ role: 'user', content: 'What is on the home page?' }] as const;
const result = await collect(run({ provider, model: 'any-model', messages, tools: createRegistry([screenshot]) }));

const [, second] = provider.streamRequests;
const sent = second?.messages.at(-1);
assert.equal(sent?.role, 'tool');
assert.deepEqual(Array.isArray(sent?.content) && sent.content.map((part: { readonly type: string }) => part.type), [
  'text',
  'image',
]);
assert.equal(result.reason === 'done' && result.answer, 'The page is a single red dot.');
console.log(result.toolCalls[0]?.result.forLLM);
