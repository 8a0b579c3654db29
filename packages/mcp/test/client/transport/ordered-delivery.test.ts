import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { orderedDelivery } from '../../../src/client/transport/ordered-delivery.ts';

/** What the SDK does: a notification is handled a microtask later, a response at once. */
function receiver(): { readonly handled: string[]; take(message: JSONRPCMessage): void } {
  const handled: string[] = [];
  const take = orderedDelivery((message) => {
    if (!('method' in message)) handled.push(`response ${message.id}`);
    else void Promise.resolve().then(() => handled.push(message.method));
  });
  return { handled, take };
}

test('a response waits for the notifications before it, and these are handled one after another', async () => {
  const { handled, take } = receiver();
  take({ jsonrpc: '2.0', id: 1, result: {} });
  take({ jsonrpc: '2.0', method: 'a' });
  take({ jsonrpc: '2.0', method: 'b' });
  take({ jsonrpc: '2.0', id: 2, result: {} });
  take({ jsonrpc: '2.0', id: 3, result: {} });
  await new Promise((resolve) => setImmediate(resolve));
  expect(handled).toEqual(['response 1', 'a', 'b', 'response 2', 'response 3']);
});

test('ten times the notifications take about ten times as long, not a hundred times', async () => {
  const timeOf = async (count: number): Promise<number> => {
    const { handled, take } = receiver();
    const startedMs = performance.now();
    for (let index = 0; index < count; index += 1) take({ jsonrpc: '2.0', method: 'n' });
    await new Promise((resolve) => setImmediate(resolve));
    expect(handled).toHaveLength(count);
    return performance.now() - startedMs;
  };
  const few: number[] = [];
  const many: number[] = [];
  for (let round = 0; round < 9; round += 1) {
    few.push(await timeOf(4000));
    many.push(await timeOf(40_000));
  }
  // Interleaved, and the fastest round of each: a busy machine can only make single rounds slower.
  expect(Math.min(...many) / Math.min(...few)).toBeLessThan(40);
});
