// A long prefix that many requests share is cached by the vendor once, and each request names it.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { createProvider } from '@kernel/providers';
import { createCaches } from '@kernel/providers/caches';
import { startWireServer } from '@kernel/testing';

const stored = { name: 'cachedContents/manual', model: 'models/gemini-3-pro', expireTime: '2030-01-01T00:00:00Z' };
const json = (body: object) => ({ headers: { 'content-type': 'application/json' }, chunks: [JSON.stringify(body)] });
const server = await startWireServer({ wire: 'gemini', replies: [json(stored), { text: 'Page 7.' }, json({})] });
const config = { name: 'gemini', baseUrl: server.baseUrl, token: 'any-key' } as const;

const caches = createCaches(config);
const model = 'gemini-3-pro';
const manual = { role: 'system', content: 'The manual, all of its 300 pages.' } as const;
const content = await caches.create({ model, messages: [manual] }, { ttlMs: 10 * 60_000 });

const messages = [{ role: 'user', content: 'Where is the fuse?' }] as const;
const result = await collect(
  run({ provider: createProvider(config), model, messages, cache: { content: content.name } }),
);
await caches.delete(content.name);

console.log(result.reason === 'done' ? result.answer : result.reason);
assert.deepEqual(server.requests[1]?.body, {
  cachedContent: 'cachedContents/manual',
  contents: [{ role: 'user', parts: [{ text: 'Where is the fuse?' }] }],
});
assert.deepEqual(
  server.requests.map(({ method }) => method),
  ['POST', 'POST', 'DELETE'],
);
await server.close();
