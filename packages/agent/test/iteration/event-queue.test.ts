import { expect, test } from 'vitest';
import { createEventQueue } from '../../src/iteration/event-queue.ts';

const ended = { done: true, value: undefined };

test('readers that wait at once are served in order, and all of them get the end', async () => {
  const queue = createEventQueue<string>();
  const reads = Array.from({ length: 4 }, () => queue.next());
  void queue.push('a');
  void queue.push('b');
  queue.close();
  expect(await Promise.all(reads)).toEqual([{ done: false, value: 'a' }, { done: false, value: 'b' }, ended, ended]);
  expect(await queue.next()).toEqual(ended);
});

test('what was pushed before the end is read first, then the error, once', async () => {
  const queue = createEventQueue<string>();
  void queue.push('a');
  queue.close(new Error('broken'));
  void queue.push('late');
  expect(await queue.next()).toEqual({ done: false, value: 'a' });
  await expect(queue.next()).rejects.toThrow('broken');
  expect(await queue.next()).toEqual(ended);
});

test('an error goes to the first of the readers that wait', async () => {
  const queue = createEventQueue<string>();
  const reads = [queue.next(), queue.next()];
  queue.close(new Error('broken'));
  const [first, second] = await Promise.allSettled(reads);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
  expect(second).toEqual({ status: 'fulfilled', value: ended });
});

test('a writer is asked to wait from the mark on, until the reader has taken everything', async () => {
  const queue = createEventQueue<number>(3);
  expect(queue.push(1)).toBeUndefined();
  expect(queue.push(2)).toBeUndefined();
  const lag = queue.push(3);
  let isDrained = false;
  void lag?.then(() => (isDrained = true));
  await queue.next();
  await queue.next();
  expect(isDrained).toBe(false);
  await queue.next();
  await lag;
  expect(queue.push(4)).toBeUndefined();
});

test('a queue that is released lets the writer go on, and keeps what was not read', async () => {
  const queue = createEventQueue<number>(1);
  const lag = queue.push(1);
  queue.release();
  await lag;
  expect(queue.push(2)).toBeUndefined();
  expect(await queue.next()).toEqual({ done: false, value: 1 });
  expect(await queue.next()).toEqual({ done: false, value: 2 });
});

test('a dropped channel forgets its values and its error, and lets the writer and all readers go', async () => {
  const lagging = createEventQueue<number>(1);
  const lag = lagging.push(1);
  lagging.discard();
  await lag;
  expect(await lagging.next()).toEqual(ended);

  const failed = createEventQueue<number>();
  failed.close(new Error('broken'));
  failed.discard();
  expect(await failed.next()).toEqual(ended);

  const waiting = createEventQueue<number>();
  const reads = [waiting.next(), waiting.next()];
  waiting.discard();
  expect(await Promise.all(reads)).toEqual([ended, ended]);
});
