import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider } from '../../src/index.ts';
import { chunk, endOf, errorOf, request, sse, withServer } from '../support.ts';

const REPLY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');
const bytes = new TextEncoder().encode(REPLY);

/** A provider over a fetch that answers by itself. */
function over(answer: (init: RequestInit, url: string) => Promise<unknown>, settings: object = {}) {
  const fetch = (url: unknown, init: RequestInit = {}) => answer(init, String(url)) as Promise<Response>;
  return createProvider({
    name: 'openai',
    baseUrl: 'https://api.example.test/v1',
    token: 'sk-secret-token',
    fetch,
    ...settings,
  });
}

function streamOf(...parts: readonly Uint8Array[]): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      for (const part of parts) controller.enqueue(part);
      controller.close();
    },
  });
}

test('a fetch gets one POST with token and body, no redirect to follow, and no user-agent but one of the config', async () => {
  verifies('transport.fetch');
  const seen: { url: string; init: RequestInit }[] = [];
  const answer = async (init: RequestInit, url: string) => (seen.push({ url, init }), new Response(REPLY));
  expect(textOf((await endOf(over(answer).stream(request()))).message)).toBe('Hello');
  await endOf(over(answer, { headers: { 'User-Agent': 'my-program/1' } }).stream(request()));
  expect(seen.map(({ url }) => url)).toEqual(
    Array.from({ length: 2 }, () => 'https://api.example.test/v1/chat/completions'),
  );
  expect(seen[0]?.init).toMatchObject({
    method: 'POST',
    redirect: 'manual',
    signal: expect.any(AbortSignal) as unknown,
  });
  const [first, second] = seen.map(({ init }) => new Headers(init.headers));
  expect(first?.get('authorization')).toBe('Bearer sk-secret-token');
  expect([first?.get('user-agent'), second?.get('user-agent')]).toEqual([null, 'my-program/1']);
});

test('a redirect that a fetch hides, shows or follows is an error, and nothing is sent again', async () => {
  verifies('transport.fetch', 'providers.auth.secret');
  let sent = 0;
  for (const response of [
    { type: 'opaqueredirect', redirected: false, status: 0, url: '', headers: new Headers(), body: null },
    {
      type: 'default',
      redirected: true,
      status: 200,
      url: 'https://evil.example/x',
      headers: new Headers(),
      body: null,
    },
    new Response(null, { status: 307, headers: { location: 'https://evil.example/x' } }),
  ]) {
    const error = await errorOf(over(async () => ((sent += 1), response)).stream(request()));
    expect(error).toMatchObject({ code: 'PROVIDER_HTTP', retryable: false });
  }
  expect(sent).toBe(3);
});

test('the body is read only as fast as its reader reads', async () => {
  verifies('transport.fetch');
  const piece = new TextEncoder().encode(sse(chunk({ content: 'x'.repeat(16_000) })));
  let pulled = 0;
  const body = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        pulled += 1;
        controller.enqueue(pulled < 500 ? piece : bytes);
        if (pulled >= 500) controller.close();
      },
    },
    { highWaterMark: 0 },
  );
  const stream = over(async () => new Response(body)).stream(request());
  const events = stream[Symbol.asyncIterator]();
  await events.next();
  for (let turn = 0; turn < 50; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  expect(pulled).toBeLessThan(20);
  let rest = 1;
  while ((await events.next()).done !== true) rest += 1;
  expect([pulled, rest]).toEqual([500, 501]);
});

test('leaving the loop aborts the signal of the fetch and cancels the body', async () => {
  verifies('transport.fetch');
  let signal: AbortSignal | null | undefined;
  let cancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(sse(chunk({ content: 'Hel' })))),
    cancel: () => void (cancelled = true),
  });
  const answer = async (init: RequestInit) => ((signal = init.signal), new Response(body));
  for await (const _ of over(answer).stream(request())) break;
  expect([signal?.aborted, cancelled]).toEqual([true, true]);
});

test('no more requests are under way than connections allows, and an abort takes one out of the queue', async () => {
  verifies('transport.fetch', 'providers.pool');
  let [open, most, sent] = [0, 0, 0];
  const answer = async () => {
    [open, sent] = [open + 1, sent + 1];
    most = Math.max(most, open);
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return new Response(REPLY);
  };
  const provider = over(answer, { connections: 3 });
  const abort = new AbortController();
  const replies = Array.from({ length: 20 }, () => endOf(provider.stream(request())));
  const given = errorOf(provider.stream(request({ signal: abort.signal })));
  await new Promise((resolve) => setImmediate(resolve));
  abort.abort(new Error('enough'));
  expect((await given).message).toBe('enough');
  await Promise.all(replies);
  expect([most, sent]).toEqual([3, 20]);
});

test('a fetch without streams gives its whole body at once', async () => {
  verifies('transport.fetch');
  const whole = { type: 'default', status: 200, headers: new Headers(), arrayBuffer: async () => bytes.buffer };
  expect(textOf((await endOf(over(async () => whole).stream(request()))).message)).toBe('Hello');
});

test.each([
  ['undefined', undefined, 'nothing'],
  ['null', null, 'null'],
  ['a text', 'hello', 'a string'],
  ['parsed JSON', { choices: [] }, 'an object without a status'],
  ['headers as an object', { status: 200, headers: {}, data: {} }, 'an object without Headers'],
  [
    'a stream of Node',
    { status: 200, headers: new Headers(), body: { pipe: () => 0 } },
    'whose body is not a ReadableStream',
  ],
])('a fetch that returns no Response is CONFIG_INVALID, which says what it returned: %s', async (_, value, said) => {
  verifies('transport.fetch');
  const error = await errorOf(over(async () => value).stream(request()));
  expect(error).toMatchObject({ code: 'CONFIG_INVALID', retryable: false });
  expect(error.message).toMatch(/^openai: fetch returned .*, not a Response\.$/);
  expect(error.message).toContain(said);
});

test('what makes a fetch fail is PROVIDER_NETWORK with its code, and no error holds the token', async () => {
  verifies('transport.fetch');
  const cause = Object.assign(new Error('connect ECONNREFUSED, sk-secret-token'), { code: 'ECONNREFUSED' });
  const failures: readonly (readonly [unknown, object])[] = [
    [
      new TypeError('fetch failed', { cause }),
      { code: 'PROVIDER_NETWORK', retryable: true, data: { errno: 'ECONNREFUSED' } },
    ],
    [new TypeError('Failed to fetch sk-secret-token'), { code: 'PROVIDER_NETWORK', retryable: true }],
    [
      Object.assign(new Error('slow'), { code: 'UND_ERR_CONNECT_TIMEOUT' }),
      { code: 'PROVIDER_NETWORK', data: { errno: 'ETIMEDOUT' } },
    ],
    ['no error at all', { code: 'PROVIDER_NETWORK' }],
  ];
  for (const [failure, expected] of failures) {
    const error = await errorOf(over(() => Promise.reject(failure)).stream(request()));
    expect(error).toMatchObject(expected);
    expect(JSON.stringify([error.message, error.data, String(error.cause)])).not.toContain('sk-secret-token');
  }
});

test('a header that cannot be sent is CONFIG_INVALID, and a stream of anything but bytes an error', async () => {
  verifies('transport.fetch');
  const never = () => Promise.reject(new Error('unused'));
  expect(await errorOf(over(never, { headers: { 'x-note': 'a\nb' } }).stream(request()))).toMatchObject({
    code: 'CONFIG_INVALID',
  });
  const text = {
    type: 'default',
    status: 200,
    headers: new Headers(),
    body: streamOf('text' as unknown as Uint8Array),
  };
  expect(await errorOf(over(async () => text).stream(request()))).toMatchObject({ code: 'PROVIDER_NETWORK' });
});

test('connecting counts as waiting for the first byte', async () => {
  verifies('transport.fetch', 'providers.timeouts');
  const hangs = (init: RequestInit) =>
    new Promise((_, reject) => init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error)));
  const timeouts = { connectMs: 1, firstByteMs: 60 };
  expect(await errorOf(over(hangs, { timeouts }).stream(request()))).toMatchObject({
    code: 'PROVIDER_TIMEOUT',
    data: { timeout: 'firstByteMs', timeoutMs: 60 },
  });
});

test('the fetch of the platform sends over real HTTP', async () => {
  verifies('transport.fetch');
  await withServer(
    [{ chunks: [REPLY] }],
    async ({ provider, server }) => {
      expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
      expect(server.requests).toHaveLength(1);
    },
    { fetch: globalThis.fetch },
  );
});
