import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { inOrder } from '../../src/client/in-order.ts';

/** What the SDK does: a notification is handled a microtask later, an answer at once. */
function receiver(): { readonly handled: string[]; take(message: JSONRPCMessage): void } {
  const handled: string[] = [];
  const take = inOrder((message) => {
    if (!('method' in message)) handled.push(`answer ${message.id}`);
    else void Promise.resolve().then(() => handled.push(message.method));
  });
  return { handled, take };
}

test('an answer waits for the notifications before it, and one after another they are handled', async () => {
  const { handled, take } = receiver();
  take({ jsonrpc: '2.0', id: 1, result: {} });
  take({ jsonrpc: '2.0', method: 'a' });
  take({ jsonrpc: '2.0', method: 'b' });
  take({ jsonrpc: '2.0', id: 2, result: {} });
  take({ jsonrpc: '2.0', id: 3, result: {} });
  await new Promise((resolve) => setImmediate(resolve));
  expect(handled).toEqual(['answer 1', 'a', 'b', 'answer 2', 'answer 3']);
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
  await timeOf(2000);
  expect(await timeOf(20_000)).toBeLessThan(500); // it was more than a second
});
