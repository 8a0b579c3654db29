import { getEventListeners } from 'node:events';
import { expect, test, vi } from 'vitest';
import { delay, linkAbort, onAbort, untilAborted } from '../src/index.ts';

const listenersOf = (signal: AbortSignal): number => getEventListeners(signal, 'abort').length;

test('a thousand callbacks on one signal share one listener, and the last one to go takes it along', () => {
  const { signal } = new AbortController();
  const removers = Array.from({ length: 1000 }, () => onAbort(signal, () => {}));
  expect(listenersOf(signal)).toBe(1);
  for (const remove of removers) remove();
  expect(listenersOf(signal)).toBe(0);
});

test('a callback is called once on abort, at once for a signal that has already aborted, and never after it was removed', () => {
  const controller = new AbortController();
  const [kept, removed, late] = [vi.fn<() => void>(), vi.fn<() => void>(), vi.fn<() => void>()];
  onAbort(controller.signal, kept);
  onAbort(controller.signal, removed)();
  controller.abort();
  onAbort(controller.signal, late);
  expect(kept).toHaveBeenCalledOnce();
  expect(removed).not.toHaveBeenCalled();
  expect(late).toHaveBeenCalledOnce();
});

test('the same function given twice is called twice, and removed one at a time', () => {
  const controller = new AbortController();
  const callback = vi.fn<() => void>();
  const remove = onAbort(controller.signal, callback);
  onAbort(controller.signal, callback);
  remove();
  remove();
  controller.abort();
  expect(callback).toHaveBeenCalledOnce();
});

test('a linked controller aborts with the parent’s reason, and no longer once the link is removed', () => {
  const parent = new AbortController();
  const [linked, unlinked] = [new AbortController(), new AbortController()];
  linkAbort(parent.signal, linked);
  linkAbort(parent.signal, unlinked)();
  parent.abort('enough');
  expect(linked.signal.reason).toBe('enough');
  expect(unlinked.signal.aborted).toBe(false);
});

test('work that ends first gives its value and leaves no listener; an abort rejects with the reason', async () => {
  const controller = new AbortController();
  await expect(untilAborted(Promise.resolve(1), controller.signal)).resolves.toBe(1);
  expect(listenersOf(controller.signal)).toBe(0);
  const never = untilAborted(new Promise(() => {}), controller.signal);
  controller.abort('enough');
  await expect(never).rejects.toBe('enough');
});

test('work that rejects after the abort is no unhandled rejection', async () => {
  const controller = new AbortController();
  const { promise, reject } = Promise.withResolvers<never>();
  const waiting = untilAborted(promise, controller.signal);
  controller.abort('enough');
  await expect(waiting).rejects.toBe('enough');
  reject(new Error('late')); // --unhandled-rejections=strict would end the process
  await delay(1);
});

test('a delay ends on abort with the reason and leaves no timer', async () => {
  vi.useFakeTimers();
  try {
    const controller = new AbortController();
    const waiting = delay(60_000, controller.signal);
    controller.abort('enough');
    await expect(waiting).rejects.toBe('enough');
    await expect(delay(60_000, controller.signal)).rejects.toBe('enough');
    expect(vi.getTimerCount()).toBe(0);
  } finally {
    vi.useRealTimers();
  }
});
