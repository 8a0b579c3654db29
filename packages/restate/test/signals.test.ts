import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createLock } from '@kernel/internal';
import { createSignalSteering } from '../src/workflow/signals.ts';

test('messages that a recorded step took are gone, in a replay too; those of a step that failed are there again', () => {
  verifies('restate.steering');
  const live = createSignalSteering();
  live.receive({ kind: 'steer', message: 'a' });
  live.receive({ kind: 'steer', message: 'b' });
  expect(live.take('steer').map(({ content }) => content)).toEqual(['a', 'b']);
  live.settle(undefined);
  expect(live.pending.steer).toHaveLength(2);
  live.take('steer');
  live.receive({ kind: 'steer', message: 'c' });
  const taken = live.taken();
  live.settle(taken);
  expect(live.pending.steer).toMatchObject([{ content: 'c' }]);

  const replayed = createSignalSteering();
  for (const message of ['a', 'b', 'c']) replayed.receive({ kind: 'steer', message });
  replayed.settle(taken);
  expect(replayed.pending).toMatchObject({ steer: [{ content: 'c' }], followUp: [], isStopping: false });
  replayed.receive({ kind: 'stop' });
  expect(replayed.pending.isStopping).toBe(true);
});

test('work under a lock runs one after the other, also behind work that failed', async () => {
  verifies('restate.agents');
  const lock = createLock();
  const order: number[] = [];
  const first = lock(async () => {
    await new Promise(setImmediate);
    order.push(1);
    throw new Error('failed');
  });
  const second = lock(async () => order.push(2));
  await expect(first).rejects.toThrow('failed');
  await second;
  expect(order).toEqual([1, 2]);
});
