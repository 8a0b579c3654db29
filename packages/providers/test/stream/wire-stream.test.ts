import { createRedactor } from '@kernel/internal';
import { KernelError, type ProviderEvent } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AuthenticatedClient } from '../../src/http/authenticated-client.ts';
import type { ResponseHandler } from '../../src/http/request.ts';
import type { ReplyDecoder } from '../../src/stream/reply-decoder.ts';
import { createWireStream } from '../../src/stream/wire-stream.ts';

/** Reads a reply whose bytes the test pushes: `f` says how it ended; `end` is called at its end. */
function open() {
  let handler: ResponseHandler | undefined;
  const ended = vi.fn<() => void>();
  const closed = vi.fn<() => void>();
  const client: AuthenticatedClient = {
    idleMs: 120_000,
    open(_, given) {
      handler = given;
      given.onHeaders(200, {});
      const nothing = (): void => {};
      return { pause: nothing, resume: nothing, extendIdleTimeout: nothing, close: closed };
    },
  };
  let hasFinished = false;
  const decoder: ReplyDecoder = {
    push: (bytes) => (hasFinished ||= bytes.includes(0x66)) || bytes.includes(0x64),
    end: ended,
    hasFinished: () => hasFinished,
    partialText: () => '',
  };
  const request = { path: '/', contentType: '', accept: '', body: '' };
  const stream = createWireStream(client, createRedactor(), undefined, () => ({
    request,
    createDecoder: () => decoder,
  }));
  const read: ProviderEvent[] = [];
  const done = (async () => {
    for await (const event of stream) read.push(event);
    return 'done';
  })();
  const push = (text: string): void => handler?.onData(Buffer.from(text));
  const fail = (error: unknown): void => handler?.onError(error);
  return { push, fail, ended, closed, done };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a reply that has said how it ended ends without an end mark, whatever the server goes on to send', async () => {
  verifies('providers.stream.noEndMark');
  const reply = open();
  await vi.advanceTimersByTimeAsync(0);
  reply.push('d');
  await vi.advanceTimersByTimeAsync(60_000);
  expect(reply.ended).not.toHaveBeenCalled();
  reply.push('f');
  await vi.advanceTimersByTimeAsync(14_000);
  expect(reply.ended).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(2000);
  expect(await reply.done).toBe('done');
  expect(reply.ended).toHaveBeenCalledOnce();
  expect(reply.closed).toHaveBeenCalled();
  expect(vi.getTimerCount()).toBe(0);
});

test('so does one whose idle timeout is shorter; one that has not said so fails', async () => {
  verifies('providers.stream.noEndMark');
  const timeout = new KernelError('PROVIDER_TIMEOUT', 'waited');
  const finished = open();
  await vi.advanceTimersByTimeAsync(0);
  finished.push('f');
  finished.fail(timeout);
  expect(await finished.done).toBe('done');
  expect(vi.getTimerCount()).toBe(0);
  const cut = open();
  await vi.advanceTimersByTimeAsync(0);
  cut.push('d');
  cut.fail(timeout);
  await expect(cut.done).rejects.toBe(timeout);
});

test('a request that fails while it is opened fails the stream', async () => {
  const error = new KernelError('PROVIDER_NETWORK', 'refused');
  const client: AuthenticatedClient = {
    idleMs: 120_000,
    open(_, { onError }) {
      onError(error);
      const nothing = (): void => {};
      return { pause: nothing, resume: nothing, extendIdleTimeout: nothing, close: nothing };
    },
  };
  const request = { path: '/', contentType: '', accept: '', body: '' };
  const createDecoder = (): ReplyDecoder => ({ push: () => true, end: () => {}, partialText: () => '' });
  const stream = createWireStream(client, createRedactor(), undefined, () => ({ request, createDecoder }));
  await expect(stream[Symbol.asyncIterator]().next()).rejects.toBe(error);
});
