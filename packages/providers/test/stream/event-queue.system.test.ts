import type { ProviderEvent } from '@kernel/protocol';
import { expect, test } from 'vitest';
import type { HttpRequest } from '../../src/http/request.ts';
import { createEventQueue, type EventSink } from '../../src/stream/event-queue.ts';
import { all, errorOf, until } from '../support.ts';

const delta = (text: string): ProviderEvent => ({ type: 'text-delta', text });
const END: ProviderEvent = {
  type: 'message-end',
  message: { role: 'assistant', content: [] },
  finishReason: 'stop',
};
const ended = { done: true, value: undefined };

/** A stream over an request that notes what is asked of it; `begin` plays the server. */
function streamOf(begin: (sink: EventSink) => void, signal?: AbortSignal) {
  const asked: string[] = [];
  const request: HttpRequest = {
    pause: () => void asked.push('pause'),
    resume: () => void asked.push('resume'),
    extendIdleTimeout: () => undefined,
    close: () => void asked.push('close'),
  };
  let sink: EventSink | undefined;
  const stream = createEventQueue((given) => {
    sink = given;
    begin(given);
    return request;
  }, signal);
  return { stream, asked, sink: () => sink };
}

test('a connection that breaks after the whole message does not affect it', async () => {
  const { stream } = streamOf((sink) => {
    setImmediate(() => {
      sink.emit(END);
      sink.decoded(10);
      sink.fail(new Error('reset'));
    });
  });
  expect(await all(stream)).toEqual([END]);
});

test('a connection that breaks before that throws, after what had arrived', async () => {
  const { stream } = streamOf((sink) => {
    sink.emit(delta('a'));
    sink.fail(new Error('reset'));
  });
  expect(await stream.next()).toEqual({ done: false, value: delta('a') });
  await expect(stream.next()).rejects.toThrow('reset');
  expect(await stream.next()).toEqual(ended);
});

test('an abort from inside the opening closes what was opened', async () => {
  const abort = new AbortController();
  const { stream, asked } = streamOf(() => abort.abort(new Error('enough')), abort.signal);
  expect((await errorOf(stream)).message).toBe('enough');
  expect(asked).toContain('close');
});

test('a server that keeps the connection open after the end mark is disconnected soon', async () => {
  const { stream, asked } = streamOf((sink) => sink.emit(END));
  expect(await all(stream)).toEqual([END]);
  expect(asked).toEqual(['close']);
});

test('a consumer with much unread data stops the socket, and starts it again when it has read everything', async () => {
  const { stream, asked, sink } = streamOf(() => undefined);
  const first = stream.next();
  for (const text of ['a', 'b', 'c']) {
    sink()?.emit(delta(text));
    sink()?.decoded(100_000);
  }
  await first;
  expect(asked).toEqual(['pause']);
  await stream.next();
  expect(asked).toEqual(['pause']);
  await stream.next();
  await until(() => asked.length > 1, 60_000);
  expect(asked).toEqual(['pause', 'resume']);
  await stream.return?.();
  expect(asked.at(-1)).toBe('close');
});

test('an abort drops what the consumer has not seen, even if the whole reply has arrived', async () => {
  const abort = new AbortController();
  const { stream } = streamOf((sink) => {
    sink.emit(delta('a'));
    sink.emit(END);
    sink.end();
  }, abort.signal);
  expect(await stream.next()).toEqual({ done: false, value: delta('a') });
  abort.abort(new Error('enough'));
  await expect(stream.next()).rejects.toThrow('enough');
  expect(await stream.next()).toEqual(ended);
});

test('concurrent reads are served in order, and returning ends those that wait', async () => {
  const { stream, sink } = streamOf(() => undefined);
  const reads = Array.from({ length: 4 }, () => stream.next());
  for (const text of ['a', 'b']) sink()?.emit(delta(text));
  sink()?.decoded(2);
  await stream.return?.();
  expect(await Promise.all(reads)).toEqual([
    { done: false, value: delta('a') },
    { done: false, value: delta('b') },
    ended,
    ended,
  ]);
});

test('a stream that was returned before its first read opens nothing', async () => {
  let opened = 0;
  const { stream } = streamOf(() => void (opened += 1));
  await stream.return?.();
  expect(await stream.next()).toEqual(ended);
  expect(opened).toBe(0);
});
