import { expect, test } from 'vitest';
import { createChannel } from '../../src/loop/event-queue.ts';

const ended = { done: true, value: undefined };

test('readers that wait at once are served in order, and all of them hear the end', async () => {
  const channel = createChannel<string>();
  const reads = Array.from({ length: 4 }, () => channel.next());
  void channel.push('a');
  void channel.push('b');
  channel.close();
  expect(await Promise.all(reads)).toEqual([{ done: false, value: 'a' }, { done: false, value: 'b' }, ended, ended]);
  expect(await channel.next()).toEqual(ended);
});

test('what was pushed before the end is read first, then the error, once', async () => {
  const channel = createChannel<string>();
  void channel.push('a');
  channel.close(new Error('broken'));
  void channel.push('late');
  expect(await channel.next()).toEqual({ done: false, value: 'a' });
  await expect(channel.next()).rejects.toThrow('broken');
  expect(await channel.next()).toEqual(ended);
});

test('an error goes to the first of the readers that wait', async () => {
  const channel = createChannel<string>();
  const reads = [channel.next(), channel.next()];
  channel.close(new Error('broken'));
  const [first, second] = await Promise.allSettled(reads);
  expect(first).toMatchObject({ status: 'rejected', reason: { message: 'broken' } });
  expect(second).toEqual({ status: 'fulfilled', value: ended });
});

test('a writer is asked to wait from the mark on, until the reader has taken everything', async () => {
  const channel = createChannel<number>(3);
  expect(channel.push(1)).toBeUndefined();
  expect(channel.push(2)).toBeUndefined();
  const lag = channel.push(3);
  let isDrained = false;
  void lag?.then(() => (isDrained = true));
  await channel.next();
  await channel.next();
  expect(isDrained).toBe(false);
  await channel.next();
  await lag;
  expect(channel.push(4)).toBeUndefined();
});

test('a dropped channel forgets its values and its error, and lets the writer and all readers go', async () => {
  const lagging = createChannel<number>(1);
  const lag = lagging.push(1);
  lagging.drop();
  await lag;
  expect(await lagging.next()).toEqual(ended);

  const failed = createChannel<number>();
  failed.close(new Error('broken'));
  failed.drop();
  expect(await failed.next()).toEqual(ended);

  const waiting = createChannel<number>();
  const reads = [waiting.next(), waiting.next()];
  waiting.drop();
  expect(await Promise.all(reads)).toEqual([ended, ended]);
});
