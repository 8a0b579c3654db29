import { KernelError, textOf } from '@kernel/protocol';
import { scriptedProvider, type ScriptStep, verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider, withFallback } from '../../src/index.ts';
import { all, endOf, errorOf, request, withServer } from '../support.ts';

const http = (status: number, more: { retryAfterMs?: number } = {}): ScriptStep => ({
  error: new KernelError('PROVIDER_HTTP', `a answered ${status}`, {
    retryable: status === 429 || status >= 500,
    data: { status, ...more },
  }),
});
const named = (name: string, ...script: ScriptStep[]) => scriptedProvider(script, { name });

test.each([
  [429, 'rate-limit'],
  [408, 'overload'],
  [500, 'overload'],
  [503, 'overload'],
  [529, 'overload'],
  [401, 'auth'],
  [402, 'auth'],
  [403, 'auth'],
])('status %d moves on, with the reason %s', async (status, reason) => {
  verifies('providers.registry.fallback');
  const seen: unknown[] = [];
  const provider = withFallback([named('a', http(status)), named('b', { text: 'from b' })], {
    onFallback: (attempt) => seen.push(attempt.reason),
  });
  expect(textOf((await endOf(provider.stream(request()))).message)).toBe('from b');
  expect(seen).toEqual([reason]);
});

test.each(['PROVIDER_NETWORK', 'PROVIDER_TIMEOUT'] as const)('%s moves on', async (code) => {
  verifies('providers.registry.fallback');
  const provider = withFallback([named('a', { error: new KernelError(code, 'gone') }), named('b', { text: 'from b' })]);
  expect(textOf((await endOf(provider.stream(request()))).message)).toBe('from b');
});

test.each([400, 404, 409, 413, 422])('a bad request (status %d) goes to no other candidate', async (status) => {
  verifies('providers.registry.fallback');
  const b = named('b', { text: 'never' });
  const error = await errorOf(withFallback([named('a', http(status)), b]).stream(request()));
  expect(error).toMatchObject({ code: 'PROVIDER_HTTP', data: { status } });
  expect(b.requests).toHaveLength(0);
});

test('a refusal, a bad setting and a bug go to no other candidate', async () => {
  verifies('providers.registry.fallback');
  const faults = [
    new KernelError('PROVIDER_REFUSED', 'no'),
    new KernelError('CONFIG_INVALID', 'no'),
    new KernelError('PROVIDER_PROTOCOL', 'half a reply'),
    new TypeError('oops'),
  ];
  for (const error of faults) {
    const provider = withFallback([named('a', { error }), named('b', { text: 'never' })]);
    expect(await errorOf(provider.stream(request()))).toBe(error);
  }
});

test('the last error lists every attempt', async () => {
  verifies('providers.registry.fallback');
  const provider = withFallback([
    named('a', http(429)),
    {
      provider: named('b', { error: new KernelError('PROVIDER_NETWORK', 'gone', { retryable: true }) }),
      model: 'small',
    },
    named('c', http(401)),
  ]);
  const error = await errorOf(provider.stream(request()));
  expect(error.message).toBe(
    'a answered 401 Tried in turn: a test-model (rate-limit), b small (network), c test-model (auth).',
  );
  expect(error).toMatchObject({
    code: 'PROVIDER_HTTP',
    retryable: true,
    data: {
      status: 401,
      attempts: [
        { provider: 'a', model: 'test-model', reason: 'rate-limit', code: 'PROVIDER_HTTP', status: 429 },
        { provider: 'b', model: 'small', reason: 'network', code: 'PROVIDER_NETWORK' },
        { provider: 'c', model: 'test-model', reason: 'auth', status: 401 },
      ],
    },
  });
});

test('a bad request at the second candidate ends it, and lists both attempts', async () => {
  const provider = withFallback([named('a', http(500)), named('b', http(400)), named('c', { text: 'never' })]);
  expect(await errorOf(provider.stream(request()))).toMatchObject({
    retryable: false,
    data: { status: 400, attempts: [{ provider: 'a' }, { provider: 'b' }] },
  });
});

test('a candidate with a model of its own is used with that model', async () => {
  const b = named('b', { text: 'x' });
  await endOf(withFallback([named('a', http(500)), { provider: b, model: 'other' }]).stream(request()));
  expect(b.streamRequests[0]?.model).toBe('other');
});

test('a candidate that failed is asked last until it has cooled down', async () => {
  let time = 0;
  const a = named('a', http(503), { text: 'a again' });
  const b = named('b', { text: 'b 1' }, { text: 'b 2' });
  const provider = withFallback([a, b], { coolDownMs: 1000, now: () => time });
  const ask = async () => textOf((await endOf(provider.stream(request()))).message);
  expect(await ask()).toBe('b 1');
  time = 999;
  expect(await ask()).toBe('b 2');
  expect(a.requests).toHaveLength(1);
  time = 1000;
  expect(await ask()).toBe('a again');
});

test('a server that asks for a longer wait cools down longer', async () => {
  let time = 0;
  const a = named('a', http(429, { retryAfterMs: 50_000 }));
  const b = named('b', { text: '1' }, { text: '2' });
  const provider = withFallback([a, b], { coolDownMs: 10, now: () => time });
  await endOf(provider.stream(request()));
  time = 49_000;
  await endOf(provider.stream(request()));
  expect(a.requests).toHaveLength(1);
});

test('when all are cooling down they are tried all the same, the soonest ready first', async () => {
  const a = named('a', http(503), { text: 'a again' });
  const provider = withFallback([a, named('b', http(503))], { now: () => 0 });
  await errorOf(provider.stream(request()));
  expect(textOf((await endOf(provider.stream(request()))).message)).toBe('a again');
});

test('a stream never moves on after its first event', async () => {
  const b = named('b', { text: 'never' });
  const half: ScriptStep = {
    error: new KernelError('PROVIDER_NETWORK', 'cut', { retryable: true }),
    after: [{ type: 'text-delta', text: 'half' }],
  };
  expect(await errorOf(withFallback([named('a', half), b]).stream(request()))).toMatchObject({ message: 'cut' });
  expect(b.requests).toHaveLength(0);
});

test('an abort goes to no other candidate', async () => {
  const abort = new AbortController();
  const b = named('b', { text: 'never' });
  const provider = withFallback([named('a', { text: 'x', hang: true, chunks: [] }), b]);
  const reading = all(provider.stream(request({ signal: abort.signal })));
  abort.abort(new Error('stop'));
  await expect(reading).rejects.toThrow('stop');
  expect(b.requests).toHaveLength(0);
});

test('embeddings go to the candidates that have them', async () => {
  const chatOnly = { name: 'chat', stream: named('chat').stream };
  const provider = withFallback([chatOnly, named('a', http(500)), named('b', { embeddings: [[1, 2]] })]);
  expect(await provider.embed?.({ model: 'm', input: 'x' })).toEqual({ embeddings: [{ index: 0, vector: [1, 2] }] });
  expect('transcribe' in withFallback([chatOnly])).toBe(false);
});

test('over HTTP: a server that is not there gives way to one that is', async () => {
  verifies('providers.registry.fallback');
  await withServer([{ text: 'here' }], async ({ provider }) => {
    const gone = createProvider({ name: 'openai', baseUrl: 'http://127.0.0.1:9' });
    expect(textOf((await endOf(withFallback([gone, provider]).stream(request()))).message)).toBe('here');
  });
});

test('no candidate at all throws CONFIG_INVALID', () => {
  expect(() => withFallback([])).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test('candidates that cool down without end are still tried, in their order', async () => {
  verifies('providers.registry.fallback', 'providers.clocks');
  const busy = new KernelError('PROVIDER_HTTP', 'busy', { retryable: true, data: { status: 503 } });
  const first = scriptedProvider([{ error: busy }, { text: 'first' }]);
  const second = scriptedProvider([{ error: busy }, { text: 'second' }]);
  const provider = withFallback([first, second], { coolDownMs: Infinity });
  expect((await errorOf(provider.stream(request()))).code).toBe('PROVIDER_HTTP');
  expect(textOf((await endOf(provider.stream(request()))).message)).toBe('first');
});

test.each<readonly [string, KernelError, string | undefined]>([
  ['a broken reply that may pass', new KernelError('PROVIDER_PROTOCOL', 'cut', { retryable: true }), 'overload'],
  [
    'an HTTP error without a status that may pass',
    new KernelError('PROVIDER_HTTP', 'odd', { retryable: true }),
    'overload',
  ],
  ['an HTTP error without a status', new KernelError('PROVIDER_HTTP', 'odd'), undefined],
  [
    'a status of another kind of error',
    new KernelError('PROVIDER_REFUSED', 'no', { data: { status: 503 } }),
    undefined,
  ],
  ['a refusal that may pass', new KernelError('PROVIDER_REFUSED', 'no', { retryable: true }), undefined],
])('%s: the reason is judged by code, status and whether it may pass', async (_what, error, reason) => {
  const seen: unknown[] = [];
  const provider = withFallback([named('a', { error }), named('b', { text: 'from b' })], {
    onFallback: (attempt) => seen.push(attempt.reason),
  });
  const events = provider.stream(request());
  const outcome = reason === undefined ? await errorOf(events) : textOf((await endOf(events)).message);
  expect(outcome).toBe(reason === undefined ? error : 'from b');
  expect(seen).toEqual(reason === undefined ? [] : [reason]);
});

test('its name says whom it asks', () => {
  expect(withFallback([named('a')]).name).toBe('a');
  expect(withFallback([named('a'), named('b')]).name).toBe('a|b');
});

test('transcriptions go to the candidates that have them, with their model and the whole request', async () => {
  const { transcribe: _transcribe, ...silent } = named('a');
  const b = named('b', { transcript: 'hello' });
  const audio = { data: new Uint8Array([1]), mimeType: 'audio/wav', name: 'a.wav' };
  const provider = withFallback([silent, { provider: b, model: 'whisper' }]);
  expect(await provider.transcribe?.({ model: 'm', audio })).toEqual({ text: 'hello' });
  expect(b.requests).toEqual([{ model: 'whisper', audio }]);
  expect(withFallback([silent])).not.toHaveProperty('transcribe');
});

test('embeddings get the whole request, and are absent where no candidate has them', async () => {
  const { embed: _embed, ...silent } = named('a');
  const b = named('b', { embeddings: [[1]] });
  await withFallback([silent, b]).embed?.({ model: 'm', input: 'text' });
  expect(b.requests).toEqual([{ model: 'm', input: 'text' }]);
  expect(withFallback([silent])).not.toHaveProperty('embed');
});

test('an abort of the caller during a failure goes to no other candidate, whatever the failure', async () => {
  const controller = new AbortController();
  const a = named('a', () => {
    controller.abort();
    return { error: new KernelError('PROVIDER_NETWORK', 'gone') };
  });
  const b = named('b', { text: 'never' });
  await errorOf(withFallback([a, b]).stream({ ...request(), signal: controller.signal }));
  expect(b.requests).toHaveLength(0);
});

test.each([
  [['openai'], /candidate 1 is not a provider but the text "openai"/],
  [[{}], /candidate 1 is not a provider but an object/],
  [[{ stream: 'x' }], /candidate 1 is not a provider/],
])('candidates %j are refused with what is wrong', (candidates, message) => {
  expect(() => withFallback(candidates as never)).toThrow(message);
});
