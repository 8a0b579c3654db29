import { textOf } from '@kernel/protocol';
import { verifies } from '@kernel/testing';
import { expect, test } from 'vitest';
import { createProvider, createProviders } from '../src/index.ts';
import type { AzureConfig } from '../src/openai/azure.ts';
import { chunk, endOf, request, sse, withServer } from './support.ts';
import { withWire } from './wires.ts';

const OK = { chunks: [sse(chunk({ content: 'ok' }), chunk({}, 'stop'))] };

test('an unknown name throws CONFIG_INVALID with the known ones and a near one', () => {
  verifies('providers.registry.create');
  expect(() => createProviders().create({ name: 'opnai' })).toThrow(
    expect.objectContaining({
      code: 'CONFIG_INVALID',
      hint: expect.stringContaining('Did you mean "openai"?') as unknown,
    }),
  );
  expect(() => createProviders().create({ name: '__proto__' })).toThrow(/Known: .*ollama/);
});

test('a catalog has the built-in names and its own, sorted, refuses a taken name and shares no state', () => {
  verifies('providers.registry.custom');
  const mine = { name: 'mine', stream: () => (async function* () {})() };
  const catalog = createProviders({ mine: () => mine });
  expect(catalog.names).toEqual([...catalog.names].toSorted());
  expect(catalog.names).toEqual(expect.arrayContaining(['azure', 'mine', 'ollama', 'openai']));
  expect(catalog.create({ name: 'mine' })).toBe(mine);
  expect(createProviders().names).not.toContain('mine');
  expect(() => createProviders({ openai: () => mine })).toThrow(expect.objectContaining({ code: 'CONFIG_INVALID' }));
});

test('the named provider is made, and talks to its baseUrl', async () => {
  verifies('providers.registry.create', 'providers.openai.chat');
  await withServer([OK], async ({ provider, server }) => {
    expect(provider.name).toBe('openai');
    await endOf(provider.stream(request()));
    expect(server.requests[0]?.path).toBe('/v1/chat/completions');
  });
});

test('ollama takes the address as its users write it, and a /v1 address means chat completions', async () => {
  verifies('providers.ollama');
  await withServer({ replies: () => ({ text: 'ok' }) }, async ({ server }) => {
    for (const baseUrl of [server.url, `${server.url}/`, `${server.url}/api`, `${server.url}/v1`]) {
      expect(textOf((await endOf(createProvider({ name: 'ollama', baseUrl }).stream(request()))).message)).toBe('ok');
    }
    expect(server.requests.map(({ path }) => path)).toEqual([
      ...Array<string>(3).fill('/api/chat'),
      '/v1/chat/completions',
    ]);
  });
});

test.each(['openai', 'ollama', 'gemini'] as const)(
  '%s: embeddings come back in the order of the input',
  async (wire) => {
    verifies('providers.embeddings');
    await withWire(wire, { replies: [{}, {}] }, async ({ provider }) => {
      const many = await provider.embed?.({ model: 'e', input: ['a', 'bbb', 'cc'] });
      expect(many?.embeddings).toEqual([
        { index: 0, vector: [1, 0] },
        { index: 1, vector: [3, 1] },
        { index: 2, vector: [2, 2] },
      ]);
      expect((await provider.embed?.({ model: 'e', input: 'a' }))?.embeddings).toEqual([{ index: 0, vector: [1, 0] }]);
    });
  },
);

test('azure needs deployment, apiVersion and authType, each named when it is missing', () => {
  verifies('providers.azure');
  const whole = {
    name: 'azure',
    baseUrl: 'https://x.example',
    deployment: 'd',
    apiVersion: 'v',
    authType: 'api_key',
  } as const;
  expect(createProvider(whole).name).toBe('azure');
  for (const key of ['deployment', 'apiVersion', 'authType'] as const) {
    expect(() => createProvider({ ...whole, [key]: undefined })).toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID', message: expect.stringContaining(key) as unknown }),
    );
  }
  expect(() => createProvider({ ...whole, authType: 'managed_identity', token: 'fixed' })).toThrow(/function/);
});

test.each([
  ['api_key', 'abcd', { 'api-key': 'abcd' }],
  ['bearer', 'abcd', { authorization: 'Bearer abcd' }],
  ['managed_identity', async () => 'abcd', { authorization: 'Bearer abcd' }],
] as const)('azure with %s calls the deployment path with api-version', async (authType, token, headers) => {
  verifies('providers.azure');
  await withServer([OK], async ({ server }) => {
    const config: AzureConfig = {
      name: 'azure',
      baseUrl: server.url,
      deployment: 'my gpt',
      apiVersion: '2024-10-21',
      authType,
      token,
    };
    await endOf(createProvider(config).stream(request()));
    expect(server.requests[0]?.path).toBe('/openai/deployments/my%20gpt/chat/completions?api-version=2024-10-21');
    expect(server.requests[0]?.headers).toMatchObject(headers);
  });
});

test.each([
  [{ baseUrl: 'localhost:1234' }, 'baseUrl does not begin with http:// or https://'],
  [{ baseUrl: 'nonsense' }, /not a URL/],
  [{ baseUrl: 'https://user:pass@host/v1' }, /password/],
  [{ timeouts: { idleMs: -1 } }, /timeouts\.idleMs/],
  [{ timeouts: { totalMs: Number.NaN } }, /timeouts\.totalMs/],
  [{ timeouts: { totalMs: 2 ** 31 } }, /timeouts\.totalMs/],
  [{ auth: 'magic' as never }, /auth is "magic"/],
])('a bad setting %j throws at once and is named', (config, message) => {
  expect(() => createProvider({ name: 'openai', ...config })).toThrow(message);
});

test('embeddings come back in the order of the input with index and usage', async () => {
  verifies('providers.embeddings');
  await withServer([{}, {}], async ({ provider, server }) => {
    const many = await provider.embed?.({ model: 'e', input: ['a', 'bbb', 'cc'], options: { dimensions: 2 } });
    expect(many?.embeddings).toEqual([
      { index: 0, vector: [1, 0] },
      { index: 1, vector: [3, 1] },
      { index: 2, vector: [2, 2] },
    ]);
    expect(many?.usage).toEqual({ inputTokens: 3, outputTokens: 0 });
    expect(server.requests[0]?.body).toEqual({ model: 'e', input: ['a', 'bbb', 'cc'], dimensions: 2 });
    expect((await provider.embed?.({ model: 'e', input: 'a' }))?.embeddings).toEqual([{ index: 0, vector: [1, 0] }]);
  });
});

test('a recording is posted as form data and its text comes back', async () => {
  verifies('providers.audio');
  const audio = { data: Uint8Array.from([1, 2, 0, 255]), mimeType: 'audio/wav', name: 'say "hi"\r\n.wav' };
  await withServer([{ text: 'Hello there' }], async ({ provider, server }) => {
    const heard = await provider.transcribe?.({ model: 'w', audio, options: { language: 'en', temperature: 0 } });
    expect(heard).toEqual({ text: 'Hello there' });
    const [recorded] = server.requests;
    expect(recorded?.path).toBe('/v1/audio/transcriptions');
    const form = await new Response(Buffer.from(recorded?.bytes ?? []), {
      headers: { 'content-type': String(recorded?.headers['content-type']) },
    }).formData();
    const file = form.get('file') as File;
    expect([form.get('model'), form.get('language'), form.get('temperature')]).toEqual(['w', 'en', '0']);
    expect([file.name, file.type, ...new Uint8Array(await file.arrayBuffer())]).toEqual([
      'say "hi"\r\n.wav',
      'audio/wav',
      ...audio.data,
    ]);
  });
});
