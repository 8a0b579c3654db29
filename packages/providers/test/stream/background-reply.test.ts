import { KernelError } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ApiRequest, AuthenticatedClient } from '../../src/http/authenticated-client.ts';
import type { ResponseHandler } from '../../src/http/request.ts';
import { openBackgroundReply } from '../../src/stream/background-reply.ts';
import type { ReplyDecoder } from '../../src/stream/reply-decoder.ts';

const FIRST: ApiRequest = { path: '/first', contentType: '', accept: '', body: '' };
const AGAIN: ApiRequest = { ...FIRST, path: '/again' };
const CANCEL: ApiRequest = { ...FIRST, path: '/cancel' };

/** A reply that never ends, asked for by a client that answers as `answer` says, at once. */
function openEndless(answer: (handler: ResponseHandler, at: number) => void) {
  const asked: (readonly [path: string, ms: number])[] = [];
  const closed: string[] = [];
  const paused: string[] = [];
  const failures: unknown[] = [];
  const start = performance.now();
  const client: AuthenticatedClient = {
    idleMs: 0,
    open({ path }, handler) {
      asked.push([path, Math.round(performance.now() - start)]);
      if (path !== CANCEL.path) queueMicrotask(() => answer(handler, asked.length - 1));
      return {
        pause: () => void paused.push(path),
        resume: () => undefined,
        extendIdleTimeout: () => undefined,
        close: () => void closed.push(path),
      };
    },
  };
  const decoder: ReplyDecoder = {
    push: () => false,
    end: () => undefined,
    partialText: () => '',
    background: {
      next: () => ({ request: AGAIN, streams: false, hasProgress: false }),
      cancellation: () => CANCEL,
    },
  };
  const bounds = { provider: 'p', idleMs: 1000, totalMs: 0, responseBytes: 1000 };
  const sink = {
    emit: () => undefined,
    decoded: () => false,
    end: () => undefined,
    fail: (error: unknown) => void failures.push(error),
  };
  const reply = openBackgroundReply(client, { request: FIRST, createDecoder: () => decoder }, bounds, sink);
  return { asked, closed, paused, failures, reply };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function answerEmpty({ onEnd, onHeaders }: ResponseHandler): void {
  onHeaders(200, {});
  onEnd(true);
}

test('a reply that is not there yet is asked for at growing intervals, up to ten seconds', async () => {
  verifies('providers.background.poll');
  const { asked, closed, failures, reply } = openEndless(answerEmpty);
  await vi.advanceTimersByTimeAsync(45_000);
  expect(asked.map(([, ms]) => ms)).toEqual([0, 200, 600, 1400, 3000, 6200, 12_600, 22_600, 32_600, 42_600]);
  expect(failures).toEqual([]);
  reply.close();
  expect(asked.at(-1)?.[0]).toBe('/cancel');
  await vi.advanceTimersByTimeAsync(5000);
  expect(closed).toEqual(['/again', '/cancel']);
  expect(vi.getTimerCount()).toBe(0);
});

test('a reply that never brings anything ends after 200 idle timeouts, and is given up', async () => {
  verifies('providers.timeouts.quiet');
  const { asked, failures } = openEndless(answerEmpty);
  await vi.advanceTimersByTimeAsync(220_000);
  expect(failures).toMatchObject([{ code: 'PROVIDER_TIMEOUT', data: { timeout: 'idleMs', timeoutMs: 1000 } }]);
  expect(asked.at(-1)?.[0]).toBe('/cancel');
});

test('five failures in a row are outlasted, the sixth ends it, and the reply is given up', async () => {
  verifies('providers.background.failure');
  const error = new KernelError('PROVIDER_NETWORK', 'down', { retryable: true });
  const { asked, failures } = openEndless((handler, at) => (at === 0 ? answerEmpty(handler) : handler.onError(error)));
  await vi.advanceTimersByTimeAsync(100_000);
  expect(asked.map(([path]) => path)).toEqual(['/first', ...Array(6).fill('/again'), '/cancel']);
  expect(failures).toEqual([error]);
});

test('a wait that the server asks for is kept, up to a minute', async () => {
  verifies('providers.background.poll');
  const busy = (retryAfterMs: number) =>
    new KernelError('PROVIDER_HTTP', 'busy', { retryable: true, data: { status: 429, retryAfterMs } });
  const { asked, reply } = openEndless((handler, at) => {
    if (at === 0) answerEmpty(handler);
    else handler.onError(busy(at === 1 ? 30_000 : 9_000_000));
  });
  await vi.advanceTimersByTimeAsync(33_000);
  expect(asked.map(([, ms]) => ms)).toEqual([0, 200, 30_200, 31_000, 32_600]);
  reply.close();
  await vi.advanceTimersByTimeAsync(5000);
});

test('a connection that is opened for a reader who does not read is paused', async () => {
  verifies('providers.background.bounds');
  const { paused, reply } = openEndless(answerEmpty);
  reply.pause();
  await vi.advanceTimersByTimeAsync(300);
  expect(paused).toEqual(['/first', '/again']);
  reply.close();
  await vi.advanceTimersByTimeAsync(5000);
});
