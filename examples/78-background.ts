// A reply that takes many minutes is generated in the background: when its connection breaks, the next one resumes it.
import assert from 'node:assert/strict';
import { run } from '@kernel/agent';
import { createProvider } from '@kernel/providers';
import { startBackgroundServer } from './servers/background-server.ts';

const server = await startBackgroundServer();
const provider = createProvider({
  name: 'openai-responses',
  baseUrl: server.baseUrl,
  token: 'any-key',
  options: { background: true },
  // The whole reply may take an hour, whatever connections it needs.
  timeouts: { totalMs: 3_600_000 },
});
const messages = [{ role: 'user', content: 'Prove it.' }] as const;

let text = '';
for await (const event of run({ provider, model: 'gpt-5.6', messages })) {
  if (event.type === 'text-delta') text += event.text;
  if (event.type === 'run-end') assert.equal(event.reason, 'done');
}
console.log(text);
assert.equal(text, 'The proof takes nine pages.');
assert.deepEqual(
  server.requests.map(({ method, path }) => `${method} ${path}`),
  ['POST /v1/responses', 'GET /v1/responses/resp_1?stream=true&starting_after=1'],
);
await server.close();
