import { type RawReply, startWireServer, verifies, type WireServer } from '@kernel/testing';
import { expect, test } from 'vitest';
import { type Caches, createCaches } from '../../src/caches/index.ts';
import { createProviders } from '../../src/index.ts';
import { ADD } from '../history.ts';
import { endOf, errorOf, request, until } from '../support.ts';
import { transport } from '../transport.ts';

const NAME = 'cachedContents/c1';
const CACHED = {
  name: NAME,
  model: 'models/gemini-3-pro',
  expireTime: '2030-01-02T03:04:05.678Z',
  usageMetadata: { totalTokenCount: 4096 },
};
const READ = { name: NAME, model: 'models/gemini-3-pro', expiresAt: Date.UTC(2030, 0, 2, 3, 4, 5, 678), tokens: 4096 };
const system = { role: 'system', content: 'A long manual.' } as const;

function json(body: object | string, status = 200): RawReply {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return { status, headers: { 'content-type': 'application/json' }, chunks: text === '' ? [] : [text] };
}

async function withCaches(
  replies: readonly RawReply[],
  work: (caches: Caches, server: WireServer) => Promise<void>,
): Promise<void> {
  const server = await startWireServer({ wire: 'gemini', replies });
  try {
    const config = { name: 'gemini', baseUrl: server.url, token: 'sk-secret-key', ...transport } as const;
    await work(createCaches(config), server);
  } finally {
    await server.close();
  }
}

test('content is cached as a request would send it, and used by its name', async () => {
  verifies('providers.caches');
  await withCaches([json(CACHED), json({}), json({})], async (caches, server) => {
    const content = { model: 'gemini-3-pro', messages: [system], tools: [ADD], displayName: 'manual' };
    const cached = await caches.create(content, { ttlMs: 90_500 });
    expect(cached).toEqual(READ);
    const [sent] = server.requests;
    expect(sent).toMatchObject({ method: 'POST', path: '/v1beta/cachedContents', problems: [] });
    expect(sent?.body).toEqual({
      model: 'models/gemini-3-pro',
      systemInstruction: { parts: [{ text: 'A long manual.' }] },
      tools: [{ functionDeclarations: [expect.objectContaining({ name: 'add' })] }],
      displayName: 'manual',
      ttl: '91s',
    });
    const config = { name: 'gemini', baseUrl: server.url, ...transport } as const;
    await endOf(
      createProviders()
        .create(config)
        .stream(request({ cache: { content: cached.name } })),
    ).catch(() => undefined);
    expect(server.requests[1]?.body).toMatchObject({ cachedContent: NAME });
  });
});

test('content is asked for, kept longer and deleted, by its whole name or the end of it', async () => {
  verifies('providers.caches');
  await withCaches([json(CACHED), json(CACHED), json('')], async (caches, server) => {
    expect(await caches.get('c1')).toEqual(READ);
    expect(await caches.update(NAME, { ttlMs: 60_000 })).toEqual(READ);
    expect(await caches.delete(NAME)).toBeUndefined();
    expect(
      server.requests.map(({ body, bytes, method, path }) => [method, path, bytes.length === 0 ? '' : body]),
    ).toEqual([
      ['GET', '/v1beta/cachedContents/c1', ''],
      ['PATCH', '/v1beta/cachedContents/c1?updateMask=ttl', { ttl: '60s' }],
      ['DELETE', '/v1beta/cachedContents/c1', ''],
    ]);
    expect(server.requests[2]?.headers).not.toHaveProperty('content-type');
  });
});

test.each([
  undefined as never,
  7 as never,
  '../models/x',
  'cachedContents/..',
  'cachedContents/../files/f',
  'files/f1',
  'cachedContents/',
  '',
  '..',
])('the name %j is refused before anything is sent', async (name) => {
  verifies('providers.caches.checked');
  await withCaches([], async (caches, server) => {
    for (const work of [caches.get(name), caches.update(name, { ttlMs: 1 }), caches.delete(name)])
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await errorOf(work)).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(server.requests).toEqual([]);
  });
});

test('content that no request can have and an invalid ttlMs are refused before anything is sent', async () => {
  verifies('providers.caches.checked');
  const content = { model: 'gemini-3-pro', messages: [system] };
  await withCaches([], async (caches, server) => {
    const wrong: readonly Promise<unknown>[] = [
      caches.create({ ...content, messages: [] }),
      caches.create(content, { ttlMs: 0 }),
      caches.create(content, { ttlMs: Number.NaN }),
      caches.update('c1', {}),
    ];
    for (const work of wrong)
      // oxlint-disable-next-line no-await-in-loop -- one after another
      expect(await errorOf(work)).toMatchObject({ code: 'CONFIG_INVALID' });
    expect(server.requests).toEqual([]);
  });
  expect(() => createCaches({ name: 'openai' } as never)).toThrow(
    expect.objectContaining({ code: 'PROVIDER_UNSUPPORTED' }),
  );
});

test('errors of the vendor are typed and without the key; an abort rejects with its reason', async () => {
  verifies('providers.caches.failure');
  const replies = [
    json({ error: { code: 404, message: 'gone: sk-secret-key', status: 'NOT_FOUND' } }, 404),
    json({ error: { code: 400, message: 'too small' } }),
    json({ model: 'models/x' }),
    json('<html><title>Sign in</title>'),
    { chunks: [], fault: { beforeHead: 'stall' } } as const,
  ];
  await withCaches(replies, async (caches, server) => {
    const gone = await errorOf(caches.get('c1'));
    expect([gone.code, gone.data?.['status'], JSON.stringify(gone).includes('sk-secret-key')]).toEqual([
      'PROVIDER_HTTP',
      404,
      false,
    ]);
    expect(await errorOf(caches.get('c1'))).toMatchObject({ code: 'PROVIDER_HTTP' });
    expect(await errorOf(caches.get('c1'))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
    expect(await errorOf(caches.get('c1'))).toMatchObject({ code: 'PROVIDER_PROTOCOL' });
    const controller = new AbortController();
    const outcome = errorOf(caches.delete('c1', { signal: controller.signal }));
    await until(() => server.requests.length === 5, 60_000);
    controller.abort(new Error('enough'));
    expect(await outcome).toMatchObject({ message: 'enough' });
  });
});
