import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider, type ProviderConfig } from '../../src/index.ts';
import { chunk, endOf, errorOf, request, sse, until } from '../support.ts';

const REPLY = sse(chunk({ content: 'Hello' }), chunk({}, 'stop'), '[DONE]');

/** A provider with one connection over a fetch that never looks at its signal. */
function over(
  answer: (authorization: string | null) => Promise<Response>,
  settings: Partial<Omit<ProviderConfig, 'name'>> = {},
) {
  return createProvider({
    name: 'openai',
    baseUrl: 'https://api.example.test/v1',
    connections: 1,
    fetch: (_, init) => answer(new Headers(init?.headers).get('authorization')),
    ...settings,
  });
}

test('a 401 whose body never ends is cancelled, and leaves its only connection to the request with the new token', async () => {
  verifies('transport.fetch', 'providers.pool');
  let cancelled = 0;
  const endless = (): Response =>
    new Response(new ReadableStream({ cancel: () => ((cancelled += 1), new Promise(() => undefined)) }), {
      status: 401,
    });
  const tokens = ['sk-of-yesterday', 'sk-of-today'];
  const provider = over(async (sent) => (sent === 'Bearer sk-of-today' ? new Response(REPLY) : endless()), {
    token: () => tokens.shift() ?? 'sk-of-nobody',
    timeouts: { idleMs: 2000 },
  });
  expect(textOf((await endOf(provider.stream(request()))).message)).toBe('Hello');
  expect(cancelled).toBe(1);
});

test('an abort frees the connection of a fetch that never settles', async () => {
  verifies('transport.fetch', 'providers.pool');
  let sent = 0;
  const provider = over(
    () => ((sent += 1) === 1 ? new Promise(() => undefined) : Promise.resolve(new Response(REPLY))),
    {
      timeouts: { idleMs: 2000 },
    },
  );
  const abort = new AbortController();
  const given = errorOf(provider.stream(request({ signal: abort.signal })));
  await until(() => sent === 1, 60_000);
  const waiting = endOf(provider.stream(request()));
  abort.abort(new Error('enough'));
  expect((await given).message).toBe('enough');
  expect(textOf((await waiting).message)).toBe('Hello');
  expect(sent).toBe(2);
});

test('an abort in the middle of a reply frees its connection once', async () => {
  verifies('transport.fetch', 'providers.pool');
  let [open, most] = [0, 0];
  const provider = over(async () => {
    most = Math.max(most, (open += 1));
    await new Promise((resolve) => setImmediate(resolve));
    open -= 1;
    return new Response(REPLY);
  });
  for await (const _ of provider.stream(request())) break;
  await Promise.all(Array.from({ length: 6 }, () => endOf(provider.stream(request()))));
  expect(most).toBe(1);
});
