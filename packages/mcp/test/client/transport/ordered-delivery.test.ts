import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { orderedDelivery } from '../../../src/client/transport/stdio-link.ts';

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
