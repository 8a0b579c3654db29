// How an application tests its agent: a scripted model, the real tools, and assertions on what was asked and what ran.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { collect, run } from '@kernel/agent';
import type { Provider } from '@kernel/protocol';
import { scriptedProvider } from '@kernel/testing';
import { createRegistry, defineTool } from '@kernel/tools';
import * as z from 'zod';

/** The application: the function under test takes the model as an argument. */
function support(provider: Provider, question: string, refunds: string[]) {
  const refund = defineTool({
    name: 'refund',
    description: 'Refunds an order.',
    effect: 'external',
    input: z.object({ order: z.string().regex(/^\d+$/) }),
    handler: ({ order }) => {
      refunds.push(order);
      return `Refunded ${order}.`;
    },
  });
  const messages = [{ role: 'user', content: question }] as const;
  const system = 'You help customers. Refund only orders that the customer names.';
  return collect(run({ provider, model: 'any-model', system, messages, tools: createRegistry([refund]) }));
}

await test('refunds the order that the customer names', async () => {
  const provider = scriptedProvider([{ calls: [{ name: 'refund', arguments: { order: '17' } }] }, { text: 'Done.' }]);
  const refunds: string[] = [];
  const result = await support(provider, 'Refund order 17.', refunds);
  assert.deepEqual(refunds, ['17']);
  assert.equal(result.reason, 'done');
  const [first] = provider.streamRequests[0]?.messages ?? [];
  assert.ok(first?.role === 'system' && first.content.includes('only orders'));
  provider.assertDone();
});

await test('an order that is not a number is rejected, and the model reads why', async () => {
  const provider = scriptedProvider([
    { calls: [{ name: 'refund', arguments: { order: 'all' } }] },
    { text: 'Which one?' },
  ]);
  const refunds: string[] = [];
  const result = await support(provider, 'Refund everything.', refunds);
  assert.deepEqual(refunds, []);
  assert.equal(result.toolCalls[0]?.result.code, 'ARGUMENTS_INVALID');
});
