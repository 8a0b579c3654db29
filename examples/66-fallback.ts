// Two vendors for one run: if the first is down, the second answers; a reply that breaks off midway is requested again.
import assert from 'node:assert/strict';
import { collect, run } from '@kernel/agent';
import { createProvider, withFallback, withRetry, withTurnRetry } from '@kernel/providers';
import { startWireServer } from '@kernel/testing';

const first = await startWireServer({ wire: 'anthropic', replies: () => ({ status: 529, chunks: ['{"error":{}}'] }) });
const second = await startWireServer({
  wire: 'openai',
  replies: [{ text: 'The capital of Portugal is Lisbon.', pieces: 5, fault: { cutAfter: 900 } }, { text: 'Lisbon.' }],
});
const anthropic = createProvider({ name: 'anthropic', baseUrl: first.baseUrl, token: 'a key' });
const openai = createProvider({ name: 'openai', baseUrl: second.baseUrl, token: 'a key' });

const fallbacks: string[] = [];
const provider = withTurnRetry(
  withFallback(
    [
      { provider: withRetry(anthropic, { maxRetries: 1, initialBackoffMs: 1 }), model: 'claude-sonnet-5' },
      { provider: openai, model: 'gpt-5.1' },
    ],
    { onFallback: ({ provider: name, reason }) => fallbacks.push(`${name}: ${reason}`) },
  ),
);
const messages = [{ role: 'user', content: 'What is the capital of Portugal?' }] as const;
const withdrawn: string[] = [];
const result = await collect(
  (async function* () {
    for await (const event of run({ provider, model: 'unused', messages })) {
      if (event.type === 'reply-withdrawn') withdrawn.push(event.code);
      yield event;
    }
  })(),
);

assert.equal(result.reason === 'done' && result.answer, 'Lisbon.');
assert.equal(fallbacks.length, 1);
assert.equal(withdrawn.length, 1);
console.log(`${fallbacks.join()}; broke off once (${withdrawn.join()}); ${result.reason}`);
await Promise.all([first.close(), second.close()]);
