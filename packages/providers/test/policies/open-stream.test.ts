import { getEventListeners } from 'node:events';
import type { ProviderEvent } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Opening, openStream } from '../../src/policies/open-stream.ts';

const text = (value: string): ProviderEvent => ({ type: 'text-delta', text: value });
const DONE = { done: true, value: undefined };

async function* saying(...values: readonly string[]): AsyncGenerator<ProviderEvent> {
  for (const value of values) yield text(value);
}

/** A stream over `source`, and how often it was opened. */
function opened(source: () => AsyncIterable<ProviderEvent>, signal?: AbortSignal) {
  const openings: Opening[] = [];
  const stream = openStream(signal, (opening) => {
    openings.push(opening);
    return opening.first(source());
  });
  return { stream, openings };
}

test('a stream is opened at the first next, once, also when two are asked for at the same time', async () => {
  verifies('providers.retry.stream');
  const { stream, openings } = opened(() => saying('a', 'b', 'c'));
  expect(openings).toHaveLength(0);
  const results = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
  expect(results).toEqual([...['a', 'b', 'c'].map((value) => ({ done: false, value: text(value) })), DONE]);
  expect(openings).toHaveLength(1);
});

test('after a failure to open it is over, and nothing is opened again', async () => {
  verifies('providers.retry.stream');
  let count = 0;
  const stream = openStream(undefined, () => {
    count += 1;
    return Promise.reject(new Error('down'));
  });
  await expect(stream.next()).rejects.toThrow('down');
  expect(await stream.next()).toEqual(DONE);
  expect(await stream.next()).toEqual(DONE);
  expect(count).toBe(1);
});

test('left before its first next it opens nothing', async () => {
  const { stream, openings } = opened(() => saying('a'));
  expect(await stream.return?.()).toEqual(DONE);
  expect(await stream.next()).toEqual(DONE);
  expect(openings).toHaveLength(0);
});

test('left while it is being opened it aborts the opening, and what that throws is not thrown', async () => {
  verifies('providers.stream.abort');
  let reason: unknown;
  const stream = openStream(undefined, ({ signal }) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => {
      ({ reason } = signal);
      reject(new Error('aborted'));
    });
    return promise;
  });
  const first = stream.next();
  expect(await stream.return?.()).toEqual(DONE);
  expect(await first).toEqual(DONE);
  expect(reason).toBeDefined();
});

test('left later it closes the stream that was chosen, and gives no further event', async () => {
  let isClosed = false;
  const { stream } = opened(async function* () {
    try {
      yield* saying('a', 'b');
    } finally {
      isClosed = true;
    }
  });
  expect(await stream.next()).toEqual({ done: false, value: text('a') });
  expect(await stream.return?.()).toEqual(DONE);
  expect(isClosed).toBe(true);
  expect(await stream.next()).toEqual(DONE);
});

test('a source without return can be left, too', async () => {
  const source = { [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: false, value: text('a') }) }) };
  const { stream } = opened(() => source);
  await stream.next();
  expect(await stream.return?.()).toEqual(DONE);
});

test('the opening aborts with the caller, and leaves no listener on the caller’s signal', async () => {
  verifies('providers.stream.abort', 'architecture.clean');
  const caller = new AbortController();
  let seen: unknown;
  const waiting = openStream(caller.signal, ({ signal }) => {
    const { promise, reject } = Promise.withResolvers<never>();
    signal.addEventListener('abort', () => {
      seen = signal.reason;
      reject(new Error('aborted'));
    });
    return promise;
  });
  const first = waiting.next();
  caller.abort('enough');
  await expect(first).rejects.toThrow('aborted');
  expect(seen).toBe('enough');
  const { signal } = new AbortController();
  await opened(() => saying('a'), signal).stream.next();
  expect(getEventListeners(signal, 'abort')).toHaveLength(0);
});
