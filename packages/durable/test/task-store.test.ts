import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openDurable } from '../src/index.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const task = (id: string, status: string, more: object = {}) => ({ id, status, expiresMs: Date.now() + 1000, ...more });

test('a task is kept as it was saved last, told while it has not ended, and forgotten once it has expired', async () => {
  verifies('durable.tasks');
  const db = openDurable(':memory:');
  const tasks = db.taskStore<ReturnType<typeof task>>();
  expect(await tasks.load('a')).toBeUndefined();
  await tasks.save(task('a', 'working'));
  await tasks.save(task('b', 'input_required'));
  await tasks.save(task('c', 'working'));
  await tasks.save(task('c', 'completed', { result: { content: [] } }));
  expect((await tasks.unfinished()).map(({ id }) => id)).toEqual(['a', 'b']);
  expect(await tasks.load('c')).toEqual(task('c', 'completed', { result: { content: [] } }));
  await tasks.remove('b');
  expect(await tasks.load('b')).toBeUndefined();
  vi.advanceTimersByTime(1000);
  expect(await tasks.unfinished()).toEqual([]);
  await tasks.save(task('d', 'working'));
  expect(await tasks.load('c')).toBeUndefined();
  db.close();
  await expect(tasks.load('d')).rejects.toMatchObject({ code: 'STORE_FAILED' });
});
