import { toolResult } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryTaskStore } from '../../../src/index.ts';
import { createServerTasks } from '../../../src/server/tasks/server-tasks.ts';
import { type TaskOptions, taskSettings } from '../../../src/server/tasks/task-support.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const CALL = { name: 'work', arguments: {} };

function createTasks(options: TaskOptions = {}) {
  return createServerTasks(taskSettings('serveHttp', options));
}

test('a task that never ends is aborted when its time is over, and then unknown', async () => {
  verifies('mcp.server.tasks.bounded');
  const tasks = createTasks({ ttlMs: 1000 });
  const task = await tasks.start('ada', CALL, {});
  await vi.advanceTimersByTimeAsync(999);
  expect(task.signal.aborted).toBe(false);
  expect((await tasks.get(task.record().id, 'ada')).status).toBe('working');
  await vi.advanceTimersByTimeAsync(1);
  expect(String(task.signal.reason)).toContain('tasks.ttlMs');
  await expect(tasks.get(task.record().id, 'ada')).rejects.toMatchObject({ code: -32_602 });
});

test('a result is kept for as long as a task may run, from its end', async () => {
  verifies('mcp.server.tasks');
  const tasks = createTasks({ ttlMs: 1000 });
  const task = await tasks.start('ada', CALL, {});
  await vi.advanceTimersByTimeAsync(900);
  task.complete({ content: [{ type: 'text', text: toolResult('Done.').forLLM }] });
  await vi.advanceTimersByTimeAsync(999);
  expect(await tasks.get(task.record().id, 'ada')).toMatchObject({ status: 'completed' });
  await vi.advanceTimersByTimeAsync(1);
  await expect(tasks.get(task.record().id, 'ada')).rejects.toMatchObject({ code: -32_602 });
  expect(vi.getTimerCount()).toBe(0);
});

test('of 10,000 tasks each has an id of its own, the next one is refused, and there is room again when they have expired', async () => {
  verifies('mcp.server.tasks.bounded');
  const tasks = createTasks({ ttlMs: 1000 });
  const started = await Promise.all(Array.from({ length: 10_000 }, () => tasks.start('ada', CALL, {})));
  expect(new Set(started.map((task) => task.record().id)).size).toBe(10_000);
  await expect(tasks.start('ada', CALL, {})).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  await vi.advanceTimersByTimeAsync(1000);
  await tasks.start('ada', CALL, {});
  tasks.close();
  expect(vi.getTimerCount()).toBe(0);
});

test('a thousand reports of progress in a row are kept as one', async () => {
  const store = createMemoryTaskStore();
  let saved = 0;
  const save: typeof store.save = (task) => {
    saved += 1;
    return store.save(task);
  };
  const tasks = createTasks({ store: { ...store, save } });
  const task = await tasks.start('ada', CALL, {});
  for (let count = 0; count < 1000; count += 1) task.report(`${count} of 1000`);
  await vi.advanceTimersByTimeAsync(0);
  expect(saved).toBeLessThan(5);
  expect(await store.load(task.record().id)).toMatchObject({ message: '999 of 1000' });
  tasks.close();
});

test('what a task does after its end changes nothing', async () => {
  const tasks = createTasks();
  const task = await tasks.start('ada', CALL, {});
  const { id } = task.record();
  task.complete({ content: [] });
  task.fail(new Error('too late'));
  task.report('still here');
  task.cancel();
  expect(await tasks.get(id, 'ada')).toMatchObject({ status: 'completed', result: { content: [] } });
  tasks.close();
});
