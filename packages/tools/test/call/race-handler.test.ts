import { getEventListeners } from 'node:events';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { type HandlerEnd, raceHandler } from '../../src/call/race-handler.ts';
import { retryDelay } from '../../src/call/retry-delay.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** Races a promise, and notes everything that happens. */
function race(work: Promise<unknown>, timeoutMs = 100) {
  const stop = new AbortController();
  const ends: HandlerEnd[] = [];
  const stopped: unknown[] = [];
  const abandoned: { readonly failed: boolean }[] = [];
  const order: string[] = [];
  raceHandler(work, {
    signal: stop.signal,
    timeoutMs,
    stop: (reason) => stopped.push(reason),
    onEnd: (end) => {
      order.push('end');
      ends.push(end);
    },
    onAbandoned: (settled) => {
      order.push('abandoned');
      void settled.then((how) => abandoned.push(how));
    },
  });
  const left = (): readonly number[] => [vi.getTimerCount(), getEventListeners(stop.signal, 'abort').length];
  return { stop, ends, stopped, abandoned, order, left };
}

const advance = (ms: number): Promise<unknown> => vi.advanceTimersByTimeAsync(ms);

test('a handler that has settled by then costs neither a timer nor a listener', async () => {
  const { ends, left } = race(Promise.resolve('x'));
  expect(left()).toEqual([0, 0]);
  await advance(0);
  expect([ends, left()]).toEqual([[{ kind: 'value', value: 'x' }], [0, 0]]);
});

test.each([
  ['value', (end: PromiseWithResolvers<unknown>) => end.resolve('x'), { kind: 'value', value: 'x' }],
  [
    'error',
    (end: PromiseWithResolvers<unknown>) => end.reject(new Error('x')),
    { kind: 'error', error: new Error('x') },
  ],
])(
  'a handler that ends in time with a %s is neither stopped nor abandoned, and leaves nothing behind',
  async (_, end, expected) => {
    verifies('tools.execute.timeout', 'architecture.clean');
    const handler = Promise.withResolvers<unknown>();
    const { ends, stopped, order, left } = race(handler.promise);
    await advance(99);
    expect(left()).toEqual([1, 1]);
    end(handler);
    await advance(0);
    expect([ends, stopped, order, left()]).toEqual([[expected], [], ['end'], [0, 0]]);
    await advance(1000);
    expect(ends).toHaveLength(1);
  },
);

test('a handler that settles within 20 ms after its timeout was stopped by it, also if its caller aborts then', async () => {
  verifies('tools.execute.timeout');
  const handler = Promise.withResolvers<unknown>();
  const { stop, ends, stopped, order, left } = race(handler.promise);
  await advance(110);
  stop.abort();
  handler.resolve('half');
  await advance(0);
  const end = { kind: 'timeout', settled: { kind: 'value', value: 'half' } };
  expect([ends, order, stopped.length, left()]).toEqual([[end], ['end'], 1, [0, 0]]);
});

test('at its timeout a handler is stopped, abandoned 20 ms later, and ends once; how it settled is known later', async () => {
  verifies('tools.execute.timeout');
  const handler = Promise.withResolvers<unknown>();
  const { ends, stopped, abandoned, order, left } = race(handler.promise);
  await advance(99);
  expect(ends).toEqual([]);
  await advance(1);
  expect([ends, stopped.length]).toEqual([[], 1]);
  await advance(20);
  expect([ends, order, left()]).toEqual([[{ kind: 'timeout' }], ['abandoned', 'end'], [0, 0]]);
  expect(stopped).toEqual([expect.objectContaining({ name: 'TimeoutError', message: 'The tool took too long.' })]);
  handler.reject(new Error('late'));
  await advance(0);
  expect([abandoned, ends.length]).toEqual([[{ failed: true }], 1]);
});

test('an aborted handler that settles within 20 ms was cancelled, with how it settled', async () => {
  verifies('tools.execute.abort');
  for (const settled of [
    { kind: 'value', value: 'x' },
    { kind: 'error', error: new Error('x') },
  ] as const) {
    const handler = Promise.withResolvers<unknown>();
    const { ends, stop, stopped, order, left } = race(handler.promise);
    await advance(0);
    stop.abort('enough');
    expect(stopped).toEqual(['enough']);
    await advance(19);
    if (settled.kind === 'value') handler.resolve(settled.value);
    else handler.reject(settled.error);
    await advance(0);
    expect([ends, order, left()]).toEqual([[{ kind: 'aborted', settled }], ['end'], [0, 0]]);
  }
});

test('an aborted handler that does not settle within 20 ms is abandoned, whatever is left of its timeout', async () => {
  verifies('tools.execute.abort', 'tools.execute.abort.late');
  const handler = Promise.withResolvers<unknown>();
  const { ends, stop, stopped, abandoned, order, left } = race(handler.promise, 10);
  await advance(5);
  stop.abort('enough');
  await advance(19);
  expect(ends).toEqual([]);
  await advance(1);
  expect([ends, stopped, order, left()]).toEqual([[{ kind: 'aborted' }], ['enough'], ['abandoned', 'end'], [0, 0]]);
  handler.resolve('late');
  await advance(0);
  expect([abandoned, ends.length]).toEqual([[{ failed: false }], 1]);
});

test.each([0, Infinity, 2 ** 31])('a timeout of %d sets no timer', async (timeoutMs) => {
  verifies('tools.clocks');
  const { left } = race(new Promise(() => {}), timeoutMs);
  await advance(0);
  expect(left()).toEqual([0, 1]);
});

test('the longest timeout sets a timer', async () => {
  const { left } = race(new Promise(() => {}), 2 ** 31 - 1);
  await advance(0);
  expect(left()).toEqual([1, 1]);
});

test('retries wait for 50 ms, twice as long each time, up to two seconds; an abort ends the wait', async () => {
  verifies('tools.execute.retryable');
  const { signal } = new AbortController();
  for (const [retry, ms] of [50, 100, 200, 400, 800, 1600, 2000, 2000].entries()) {
    let result: boolean | undefined;
    void retryDelay(retry, signal).then((value) => (result = value));
    await advance(ms - 1);
    expect([retry, result]).toEqual([retry, undefined]);
    await advance(1);
    expect([retry, result]).toEqual([retry, true]);
  }
  const stop = new AbortController();
  const waiting = retryDelay(0, stop.signal);
  stop.abort();
  expect(await waiting).toBe(false);
});
