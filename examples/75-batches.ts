// Many requests as one batch, at the vendor's lower price: each request gets its own reply or error.
import assert from 'node:assert/strict';
import { textOf } from '@kernel/protocol';
import { type BatchRequest, createBatches } from '@kernel/providers/batches';
import { startBatchServer } from './servers/batch-server.ts';

const server = await startBatchServer();
const batches = createBatches({ name: 'openai', baseUrl: server.baseUrl, token: 'any-key' });

const questions = { long: 'How long is the Nile?', short: 'Why?', empty: '' };
const requests = Object.entries(questions).map(([id, content]): BatchRequest => ({
  id,
  model: 'gpt-4.1',
  messages: [{ role: 'user', content }],
}));
const submitted = await batches.submit(requests);
// Keep submitted.id: with it, another process can also wait for the batch and read it. A vendor takes up to a day.
const batch = await batches.wait(submitted.id, { intervalMs: 10 });
assert.equal(batch.status, 'ended');

const answers = new Map<string, string>();
for await (const result of batches.results(batch.id, { requests }))
  answers.set(result.id, 'error' in result ? result.error.code : textOf(result.end.message));
console.log(answers);
assert.deepEqual(
  [...answers],
  [
    ['long', '21 characters'],
    ['short', '4 characters'],
    ['empty', 'PROVIDER_HTTP'],
  ],
);
await server.close();
