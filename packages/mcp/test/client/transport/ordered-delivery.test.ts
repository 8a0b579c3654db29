import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import { expect, test } from 'vitest';
import { cpuRatio } from '../../../../../test/setup/cpu-time.ts';
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

test('ten times the notifications take about ten times the work, not a hundred times', async () => {
  // The same number on both sides, at once or in ten parts: linear work costs the same, quadratic work ten times as much.
  const deliver = (parts: number) => async (): Promise<void> => {
    const count = 40_000 / parts;
    for (let part = 0; part < parts; part += 1) {
      const { handled, take } = receiver();
      for (let index = 0; index < count; index += 1) take({ jsonrpc: '2.0', method: 'n' });
      // oxlint-disable-next-line no-await-in-loop -- one part after another
      await new Promise((resolve) => setImmediate(resolve));
      expect(handled).toHaveLength(count);
    }
  };
  expect(await cpuRatio(deliver(1), deliver(10), 4)).toBeLessThan(4);
});
